/** Why a connection could not be made, and what to do about it. */

interface ConnectionError {
  readonly code?: string;
  readonly message: string;
}

const TRUST = 'Name the file of the authority that signed it by sslrootcert=… in the URL';

/** What OpenSSL says of a certificate, by its code. */
const certificateAdvice: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of the server is for another host name. Use the name that it is for in the URL, or have one made for this name.',
  CERT_HAS_EXPIRED: 'the certificate of the server has expired. Renew it, and see that the clock of this machine is right.',
  CERT_NOT_YET_VALID: 'the certificate of the server is not valid yet. See that the clock of this machine is right.',
  CERT_REVOKED: 'the certificate of the server was revoked. Renew it.',
  DEPTH_ZERO_SELF_SIGNED_CERT: `the certificate of the server is signed by itself. ${TRUST} (here that is the certificate).`,
  SELF_SIGNED_CERT_IN_CHAIN: `the certificate of the server is signed by an authority that is not known here. ${TRUST}.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the certificate of the server is signed by an authority that is not known here. ${TRUST}.`,
  UNABLE_TO_GET_ISSUER_CERT: `the certificate of the server is signed by an authority that is not known here. ${TRUST}.`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the certificate of the server is signed by an authority that is not known here. ${TRUST}.`,
};

export function adviceFor(error: unknown): string {
  const { code = '', message } = error as ConnectionError;
  const certificate = certificateAdvice[code];
  if (certificate !== undefined) return certificate;
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return 'nothing listens there. Start the server, or correct the host and port of the URL.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name is not known. Correct the host of the URL.';
    case '28P01':
      return 'the server refused the user or the password. Correct them in the URL.';
    case '28000':
      return refusedByRules(message);
    case '3D000':
      return 'the database does not exist. Create it with "createdb", or correct its name in the URL.';
    case '57P03':
      return 'the server is starting or stopping. Try again in a moment.';
    case '53300':
      return 'the server has no connection left. Raise its max_connections, or lower the pool sizes of those who use it.';
    default:
      return adviceByMessage(message);
  }
}

/** The rules in pg_hba.conf, which name users, databases, addresses, and whether the connection is encrypted. */
function refusedByRules(message: string): string {
  if (/no encryption|SSL off/i.test(message))
    return 'the server takes no connection of this user without TLS. Add sslmode=verify-full to the URL, or no-verify where its certificate can not be checked.';
  if (/valid client certificate|certificate authentication failed/i.test(message))
    return 'the server wants a certificate of the client. Name it by sslcert=… and sslkey=… in the URL.';
  if (/no pg_hba\.conf entry/i.test(message))
    return `the server has no rule that lets this user in from here (${message}). Add one to pg_hba.conf, or correct the user and the database in the URL.`;
  return 'the server refused the user or the password. Correct them in the URL, or allow the user in pg_hba.conf.';
}

function adviceByMessage(message: string): string {
  if (/does not support SSL/i.test(message))
    return 'the server does not speak TLS. Turn it on there (ssl = on), or take sslmode out of the URL where the way to it is safe.';
  if (/timeout/i.test(message)) return 'it did not answer in time. Check the host, the port and the firewall between.';
  if (/certificate|self-signed/i.test(message)) return `${message}. ${TRUST}.`;
  if (/ssl|tls/i.test(message)) return `${message}. Set sslmode in the URL to what the server offers.`;
  return `${message}.`;
}
