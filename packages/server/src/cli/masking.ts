/** Addresses as they may be shown: without what opens them. */

const SECRET_PARAMETERS = ['password', 'sslpassword'];

/** For a command line to paste: the program it goes to asks for the password. */
export function withoutPassword(address: string): string {
  return changed(address, '');
}

/** For reading: one sees that there is a password. */
export function withMaskedPassword(address: string): string {
  return changed(address, '***');
}

function changed(address: string, replacement: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  const named = SECRET_PARAMETERS.filter((name) => url.searchParams.has(name));
  if (url.password === '' && named.length === 0) return address;
  if (url.password !== '') url.password = replacement;
  for (const name of named) {
    if (replacement) url.searchParams.set(name, replacement);
    else url.searchParams.delete(name);
  }
  return url.href;
}
