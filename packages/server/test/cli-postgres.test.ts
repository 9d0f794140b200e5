/** The command line on PostgreSQL: what differs from the embedded engine. */
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { cli, serve } from '../src/cli/spawn-for-test.ts';
import { createTestDatabase } from './database.ts';

async function onPostgres() {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return { COMMONPLACE_DATABASE_URL: database.url, COMMONPLACE_DATABASE_POOL_SIZE: '4' };
}

if (inject('postgres'))
  describe('on PostgreSQL', () => {
    test('accounts and keys are made while the service runs, and work at once', async () => {
      const settings = await onPostgres();
      const { url, stop } = await serve(settings);
      const args = ['user', 'create', '--email', 'ada@example.com', '--name', 'Ada', '--password-stdin'];
      expect(await cli(args, { settings, input: 'a long and unusual phrase' })).toMatchObject({ code: 0 });
      const { code, stdout } = await cli(['key', 'create', '--email', 'ada@example.com', '--name', 'Test'], { settings });
      expect(code).toBe(0);
      const me = await fetch(`${url}/api/v1/me`, { headers: { 'x-api-key': stdout.trim() } });
      expect(await me.json()).toMatchObject({ owner: { email: 'ada@example.com', role: 'admin' } });
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/broadcasts_trusted\S* 1/);
      expect((await stop()).code).toBe(0);
    });

    test('a workspace gets limits while the service runs, which hold at once', async () => {
      const apiKey = 'an-api-key-of-the-first-account';
      const settings = { ...(await onPostgres()), COMMONPLACE_ADMIN_API_KEY: apiKey };
      const { url, stop } = await serve(settings);
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const post = async (path: string, body: object) => {
        const answer = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
        return { status: answer.status, body: (await answer.json()) as { id: string; code?: string } };
      };
      const { id } = (await post('/workspaces', { name: 'Limited' })).body;
      expect((await cli(['quota', 'show', id], { settings })).stdout).toBe(
        'messages            0 of no limit (default)\ndocuments           0 of no limit (default)\nbytes               0 of no limit (default)\nrequests a minute   no limit (default)\n',
      );
      const set = await cli(['quota', 'set', id, '--bytes', '0', '--requests-per-minute', '100', '--messages', 'off'], { settings });
      expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining('0 of 0 (its own)\nrequests a minute   100 (its own)\n') });
      // Every node has heard of it, and reads it in a moment.
      await expect
        .poll(async () => (await post(`/workspaces/${id}/agents`, { name: 'Too much' })).body.code, { timeout: 60_000 })
        .toBe('quota_exceeded');
      expect(await cli(['quota', 'clear', id], { settings })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('no limit (default)'),
      });
      await expect
        .poll(async () => (await post(`/workspaces/${id}/agents`, { name: 'Not too much' })).status, { timeout: 60_000 })
        .toBe(201);
      expect((await stop()).code).toBe(0);
    });

    test('migrate and doctor', async () => {
      const settings = await onPostgres();
      expect((await cli(['migrate', '--dry-run'], { settings })).stdout).toMatch(/^Would run .*0001_foundation/);
      expect((await cli(['doctor'], { settings })).stdout).toMatch(/! the migrations? 0001_foundation.* will run/);
      expect((await cli(['migrate'], { settings })).stdout).toMatch(/^Ran .*0001_foundation/);
      const { code, stdout } = await cli(['doctor'], { settings });
      expect(code, stdout).toBe(0);
      expect(stdout).toMatch(/✓ PostgreSQL \d+\S* at .*pgvector \d/);
      expect(stdout).toContain('✓ The tables are those of this version.');
      expect(stdout).toContain('✓ The clocks of the database and of this machine agree.');
    });
  });

const unreachable = { COMMONPLACE_DATABASE_URL: 'postgres://ada:sesame@127.0.0.1:1/books?sslmode=disable' };

test.each([
  [['backup', '/tmp/x.dump'], `pg_dump --format=custom --file='/tmp/x.dump' --dbname='postgres://ada@127.0.0.1:1/books?sslmode=disable'`],
  [['restore', '/tmp/x.dump'], `--dbname='postgres://ada@127.0.0.1:1/books?sslmode=disable' '/tmp/x.dump'`],
])('%s names the program of PostgreSQL, without the password', async (args, expected) => {
  const { code, stdout, stderr } = await cli(args, { settings: unreachable });
  expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(expected);
  expect(stderr).not.toContain('sesame');
});

test('a server that is not there is named, without the password', async () => {
  for (const command of ['serve', 'migrate', 'doctor']) {
    const { code, stdout, stderr } = await cli([command], { settings: unreachable });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(`Can't use PostgreSQL at 127.0.0.1:1/books: nothing listens there.`);
    expect(stdout + stderr).not.toContain('sesame');
  }
});
