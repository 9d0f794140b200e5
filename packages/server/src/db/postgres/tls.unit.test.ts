/** What is said where TLS stands in the way, on the server of the run: its settings are put back afterwards. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { DatabaseUnusable } from '../errors.ts';
import { adviceFor } from './advice.ts';
import { openPostgres } from './engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'commonplace-tls-'));
const server = new URL(inject('postgres')?.url as string);
/** Only by TLS, for this test alone. */
const user = `tls_only_${inject('postgres')?.runId}`;
let admin: pg.Client;
let places: { data: string; hba: string };

/** Writes a file beside the server's own, by the server's user and readable to nobody else. */
async function writeOnServer(path: string, text: string): Promise<void> {
  const program = `umask 077; base64 -d > ${path}`;
  await admin.query(`copy (select '${Buffer.from(text).toString('base64')}') to program ${pg.escapeLiteral(program)}`);
}

async function reload(): Promise<void> {
  await admin.query('select pg_reload_conf()');
}

/** A certificate of its own making, for a name or an address. */
function certificateFor(name: string, subject: string): string {
  const file = join(folder, name);
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=commonplace-test',
    ].concat(['-addext', `subjectAltName=${subject}`, '-keyout', `${file}.key`, '-out', `${file}.pem`]),
    { stdio: 'ignore' },
  );
  return file;
}

async function serveWith(certificate: string): Promise<void> {
  await writeOnServer(`${places.data}/tls-test.pem`, readFileSync(`${certificate}.pem`, 'utf8'));
  await writeOnServer(`${places.data}/tls-test.key`, readFileSync(`${certificate}.key`, 'utf8'));
  await admin.query(`alter system set ssl_cert_file = ${pg.escapeLiteral(`${places.data}/tls-test.pem`)}`);
  await admin.query(`alter system set ssl_key_file = ${pg.escapeLiteral(`${places.data}/tls-test.key`)}`);
  await admin.query('alter system set ssl = on');
  await reload();
  await expect.poll(() => outcomeOf('sslmode=no-verify')).toBe('open');
}

async function outcomeOf(query: string): Promise<string> {
  const url = new URL(server);
  url.username = user;
  url.search = query;
  try {
    await (await openPostgres({ url: url.href, poolSize: 1 })).close();
    return 'open';
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseUnusable);
    return (error as Error).message;
  }
}

beforeAll(async () => {
  admin = new pg.Client({ connectionString: server.href });
  await admin.connect();
  const { rows } = await admin.query(`select current_setting('data_directory') as data, current_setting('hba_file') as hba`);
  places = rows[0];
  await admin.query(`create role ${user} superuser login`);
  const rules = [`hostssl all ${user} all trust`, `host all ${user} all reject`].join('\n');
  await admin.query(`copy (select '') to program ${pg.escapeLiteral(`cp ${places.hba} ${places.hba}.before-tls-test`)}`);
  const { rows: before } = await admin.query('select pg_read_file($1) as text', [places.hba]);
  await writeOnServer(places.hba, `${rules}\n${before[0].text}`);
  await reload();
  await vi.waitFor(async () => expect(await outcomeOf('')).toMatch(/without TLS/), 60_000);
});

afterAll(async () => {
  await admin.query(
    `copy (select '') to program ${pg.escapeLiteral(`mv ${places.hba}.before-tls-test ${places.hba}; rm -f ${places.data}/tls-test.*`)}`,
  );
  for (const setting of ['ssl', 'ssl_cert_file', 'ssl_key_file']) await admin.query(`alter system reset ${setting}`);
  await reload();
  await admin.query(`drop role ${user}`);
  await admin.end();
  rmSync(folder, { recursive: true, force: true });
});

test('a server that wants TLS is told from one that refuses the user', async () => {
  expect(await outcomeOf('')).toMatch(/takes no connection of this user without TLS\. Add sslmode=verify-full to the URL/);
});

test('certificates: one of its own making, one that is trusted, one for another host', async () => {
  const own = certificateFor('own', 'IP:127.0.0.1');
  await serveWith(own);
  expect(await outcomeOf('sslmode=verify-full')).toMatch(/signed by itself\. Name the file .* by sslrootcert=/);
  expect(await outcomeOf(`sslmode=verify-full&sslrootcert=${own}.pem`)).toBe('open');
  expect(await outcomeOf(`sslmode=verify-full&sslrootcert=${folder}/none.pem`)).toMatch(
    /names a file that can not be read: .*none\.pem \(ENOENT\)/,
  );
  const others = certificateFor('others', 'DNS:db.example.com');
  await serveWith(others);
  await expect.poll(() => outcomeOf(`sslmode=verify-full&sslrootcert=${others}.pem`)).toMatch(/is for another host name/);
});

test('a server without TLS', async () => {
  // Says no to the question for TLS, as PostgreSQL does with ssl = off.
  const plain = createServer((socket) => void socket.once('data', () => socket.end('N'))).listen(0, '127.0.0.1');
  onTestFinished(() => void plain.close());
  await new Promise((resolve) => plain.once('listening', resolve));
  const { port } = plain.address() as { port: number };
  await expect(openPostgres({ url: `postgres://ann@127.0.0.1:${port}/books?sslmode=verify-full` })).rejects.toThrow(
    /does not speak TLS\. Turn it on there/,
  );
});

test.for([
  ['CERT_HAS_EXPIRED', /has expired\. Renew it/],
  ['CERT_NOT_YET_VALID', /clock of this machine/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /authority that is not known here/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /authority that is not known here/],
] as const)('a certificate with %s', ([code, advice]) => {
  expect(adviceFor(Object.assign(new Error('certificate'), { code }))).toMatch(advice);
});

test.for([
  ['no pg_hba.conf entry for host "10.0.0.1", user "ann", database "books", no encryption', /without TLS/],
  ['no pg_hba.conf entry for host "10.0.0.1", user "ann", database "books", SSL encryption', /no rule that lets this user in/],
  ['connection requires a valid client certificate', /sslcert=… and sslkey=…/],
  ['role "ann" is not permitted to log in', /refused the user or the password/],
] as const)('28000: %s', ([message, advice]) => {
  expect(adviceFor(Object.assign(new Error(message), { code: '28000' }))).toMatch(advice);
});
