/** `sync`: a folder and a workspace in step, by real processes and a running service. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { cli, serve, start, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { createTestDatabase } from './database.ts';

const KEY = 'the-key-of-a-service-under-test';

function write(root: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** A service with a workspace, and a folder named `handbook` beside it. */
async function newScene(settings: Record<string, string> = { COMMONPLACE_DATA_DIR: temporaryFolder() }) {
  const { url, stop } = await serve({ COMMONPLACE_ADMIN_API_KEY: KEY, ...settings });
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': KEY, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
    return answer.status === 204 ? undefined : answer.json();
  };
  const { id: workspaceId } = await ask('POST', '/workspaces', { name: 'Synced' });
  const permissions = ['CAN_LIST_WORKSPACE_DOCUMENTS', 'CAN_CREATE_WORKSPACE_DOCUMENT', 'CAN_DELETE_WORKSPACE_DOCUMENT'];
  const { key } = await ask('POST', `/workspaces/${workspaceId}/keys`, { name: 'sync', permissions });
  const folder = join(temporaryFolder(), 'handbook');
  mkdirSync(folder);
  const surroundings = { settings: { COMMONPLACE_URL: url, COMMONPLACE_ACCESS_KEY: key, COMMONPLACE_WORKSPACE_ID: workspaceId } };
  const documents = async () => {
    const { documents: found } = await ask('GET', `/workspaces/${workspaceId}/documents?limit=100`);
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    return (found as any[]).toSorted((one, other) => (one.externalId < other.externalId ? -1 : 1));
  };
  return {
    url,
    folder,
    surroundings,
    stop,
    documents,
    sync: (...args: string[]) => cli(['sync', folder, ...args], surroundings),
    externalIds: async () => (await documents()).map(({ externalId }) => externalId),
    untilIndexed: () =>
      expect.poll(async () => new Set((await documents()).map(({ status }) => status)), { interval: 100 }).toEqual(new Set(['indexed'])),
    search: async (query: string) => (await ask('POST', `/workspaces/${workspaceId}/documents/search`, { query })).results,
  };
}

const summaryOf = (output: string) => output.trimEnd().split('\n').at(-1);

test('a folder is brought in step: new, changed, renamed and deleted files, and the rest costs nothing', async () => {
  const { folder, sync, documents, externalIds, untilIndexed, search } = await newScene();
  write(folder, {
    'refunds.md': 'Intro\n\n# Refunds of money\n\nWithin five days.',
    'travel/expenses.md': '# Expenses\n\nKeep the walrus receipt.',
    'travel/deep/notes.txt': 'A note about the carpenter.',
    'picture.png': 'no text',
  });
  const first = await sync('--labels', 'team=support, public');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout.split('\n').slice(0, 3).sort()).toEqual([
    'new      refunds.md',
    'new      travel/deep/notes.txt',
    'new      travel/expenses.md',
  ]);
  expect(summaryOf(first.stdout)).toBe('3 new, 0 changed, 0 renamed, 0 deleted, 0 unchanged, 0 skipped, 0 failed.');
  const made = await documents();
  expect(made).toMatchObject([
    { externalId: 'handbook:refunds.md', title: 'Refunds of money', labels: ['team=support', 'public'], filename: 'refunds.md' },
    { externalId: 'handbook:travel/deep/notes.txt', title: 'notes', labels: ['team=support', 'public'] },
    { externalId: 'handbook:travel/expenses.md', title: 'Expenses', labels: ['team=support', 'public'] },
  ]);
  await untilIndexed();

  const labels = ['--labels', 'team=support,public'];
  const again = await sync(...labels);
  expect(again).toEqual({ code: 0, stdout: '0 new, 0 changed, 0 renamed, 0 deleted, 3 unchanged, 0 skipped, 0 failed.\n', stderr: '' });

  write(folder, { 'refunds.md': '# Refunds of money\n\nWithin six days.', 'added.md': 'Something new.' });
  renameSync(join(folder, 'travel/expenses.md'), join(folder, 'costs.md'));
  rmSync(join(folder, 'travel/deep'), { recursive: true });
  const dry = await sync(...labels, '--dry-run');
  const before = await documents();
  const next = await sync(...labels);
  for (const { stdout, code } of [dry, next]) {
    expect(code).toBe(0);
    expect(stdout).toContain('changed  refunds.md\n');
    expect(stdout).toContain('new      added.md\n');
    expect(stdout).toContain('renamed  travel/expenses.md (now costs.md)\n');
    expect(stdout).toContain('deleted  travel/deep/notes.txt\n');
    expect(summaryOf(stdout)).toContain('2 new, 1 changed, 1 renamed, 1 deleted, 0 unchanged, 0 skipped, 0 failed.');
  }
  expect(summaryOf(dry.stdout)).toMatch(/^Nothing was changed/);
  expect(before.map(({ checksum }) => checksum)).toEqual(made.map(({ checksum }) => checksum));
  expect(await externalIds()).toEqual(['handbook:added.md', 'handbook:costs.md', 'handbook:refunds.md']);
  expect((await documents())[2]).toMatchObject({ id: made[0].id });
  // The old name went only when the new one was found.
  expect((await search('walrus receipt'))[0]).toMatchObject({ title: 'Expenses' });

  // Other labels are taken over without another indexing.
  await untilIndexed();
  expect(summaryOf((await sync('--labels', 'public')).stdout)).toBe(
    '0 new, 3 changed, 0 renamed, 0 deleted, 0 unchanged, 0 skipped, 0 failed.',
  );
  expect(await documents()).toMatchObject([1, 2, 3].map(() => ({ labels: ['public'], status: 'indexed' })));
});

test('two folders in a workspace leave each other alone, whatever their names', async () => {
  const { folder, sync, externalIds, surroundings } = await newScene();
  write(folder, { 'a.md': 'One.', 'b.md': 'Two.' });
  const inner = join(folder, 'b.md');
  expect((await sync()).code).toBe(0);
  for (const name of ['hand', 'handbook2', 'handbook/a', 'handbook.']) expect((await sync('--prefix', name)).code).toBe(0);
  expect(await externalIds()).toHaveLength(10);
  rmSync(inner);
  expect(summaryOf((await sync()).stdout)).toContain('1 deleted');
  expect(await externalIds()).toHaveLength(9);
  expect((await externalIds()).filter((id) => id.startsWith('handbook:'))).toEqual(['handbook:a.md']);
  expect(await cli(['sync', folder, '--prefix', 'a:b'], surroundings)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--prefix'),
  });
});

test('a folder in which nothing is left is not taken at its word', async () => {
  const { folder, sync, externalIds, surroundings } = await newScene();
  write(folder, Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`${index}.md`, `Text ${index}.`])));
  expect((await sync()).code).toBe(0);
  for (let index = 0; index < 14; index++) rmSync(join(folder, `${index}.md`));
  const refused = await sync();
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('14 of 14 documents would be deleted, which is refused unless --force is given');
  // Another folder of the same name, with one file that both have.
  write(folder, { '0.md': 'Another text.', 'x.md': 'More.' });
  expect(await sync()).toMatchObject({ code: 1, stderr: expect.stringContaining('13 of 14 documents would be deleted') });
  expect((await sync('--dry-run')).stdout).toContain('this needs --force');
  expect(await externalIds()).toHaveLength(14);
  expect(await cli(['sync', join(folder, 'nowhere')], surroundings)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is no folder'),
  });
  expect((await sync('--force')).code).toBe(0);
  expect(await externalIds()).toEqual(['handbook:0.md', 'handbook:x.md']);
});

test('what can’t be taken is skipped with a line each, and its document is left as it is', async () => {
  const { folder, sync, externalIds, search, untilIndexed } = await newScene();
  const outside = temporaryFolder();
  write(outside, { 'secret.md': 'Outside.' });
  write(folder, {
    'large.md': 'The walrus.',
    'broken.txt': 'The carpenter.',
    'emptied.md': 'The oyster.',
    'fine.md': 'Fine.',
    'locked.md': 'Locked.',
  });
  expect((await sync()).code).toBe(0);
  await untilIndexed();
  write(folder, {
    'large.md': 'x'.repeat(2 * 1024 * 1024 + 1),
    'broken.txt': new Uint8Array([0x61, 0xff]),
    'emptied.md': ' \n',
    '.hidden/a.md': 'Hidden.',
    '.hidden.md': 'Hidden.',
    'sub/node_modules/a.md': 'A package.',
    'line\nbreak.md': 'A name.',
    [`${'deep/'.repeat(50)}a.md`]: 'Too long an id.',
  });
  symlinkSync(join(outside, 'secret.md'), join(folder, 'link.md'));
  symlinkSync(outside, join(folder, 'linked'));
  symlinkSync(folder, join(folder, 'round'));
  symlinkSync(join(folder, 'fine.md'), join(folder, 'same.md'));
  const { code, stdout, stderr } = await sync();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const line of [
    'skipped  .hidden/ (it is hidden)',
    'skipped  .hidden.md (it is hidden)',
    'skipped  sub/node_modules/ (it holds packages)',
    'skipped  large.md (File must not exceed 2 MB)',
    'skipped  broken.txt (File must be valid UTF-8 text)',
    'skipped  emptied.md (it is empty)',
    'skipped  link.md (it is a link that leads out of the folder, or nowhere)',
    'skipped  linked (it is a link that leads out of the folder, or nowhere)',
    'skipped  round (it is a link to a folder)',
    'skipped  line?break.md (its name has control characters)',
    'deleted  emptied.md',
    'new      same.md',
  ]) {
    expect(stdout.split('\n')).toContain(line);
  }
  expect(summaryOf(stdout)).toBe('1 new, 0 changed, 0 renamed, 1 deleted, 2 unchanged, 11 skipped, 0 failed.');
  expect(await externalIds()).toEqual(['broken.txt', 'fine.md', 'large.md', 'locked.md', 'same.md'].map((path) => `handbook:${path}`));
  expect((await search('walrus'))[0]).toMatchObject({ text: 'The walrus.' });
});

// Root reads everything.
const testUnlessRoot = process.getuid?.() === 0 ? () => undefined : test;
testUnlessRoot('a file that can’t be read fails, and its document stays', async () => {
  const { folder, sync, externalIds } = await newScene();
  write(folder, { 'locked.md': 'Locked.', 'inner/a.md': 'Inner.', 'b.md': 'B.' });
  expect((await sync()).code).toBe(0);
  chmodSync(join(folder, 'locked.md'), 0);
  chmodSync(join(folder, 'inner'), 0);
  onTestFinished(() => chmodSync(join(folder, 'inner'), 0o700));
  const { code, stderr } = await sync();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^failed {3}inner\/ \(it can't be read \(EACCES.*\nfailed {3}locked\.md \(it can't be read \(EACCES/);
  expect(await externalIds()).toHaveLength(3);
});

test('with --watch it goes on: what changes in the folder changes in the workspace, until it is told to end', async () => {
  const { folder, surroundings, externalIds, documents } = await newScene();
  write(folder, { 'a.md': 'One.' });
  const { process: child, ended } = start(['sync', folder, '--watch'], surroundings);
  await expect.poll(externalIds, { interval: 100 }).toEqual(['handbook:a.md']);
  write(folder, { 'inner/b.md': 'Two.' });
  await expect.poll(externalIds, { interval: 100 }).toEqual(['handbook:a.md', 'handbook:inner/b.md']);
  write(folder, { 'inner/b.md': '# Two and more' });
  await expect.poll(async () => (await documents())[1].title, { interval: 100 }).toBe('Two and more');
  rmSync(join(folder, 'a.md'));
  await expect.poll(externalIds, { interval: 100 }).toEqual(['handbook:inner/b.md']);
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

if (inject('postgres'))
  test('on PostgreSQL all is the same', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const { folder, sync, externalIds, stop } = await newScene({
      COMMONPLACE_DATABASE_URL: database.url,
      COMMONPLACE_DATABASE_POOL_SIZE: '4',
    });
    write(folder, { 'a.md': 'One.', 'b.md': 'Two.' });
    expect((await sync()).code).toBe(0);
    rmSync(join(folder, 'a.md'));
    expect(summaryOf((await sync()).stdout)).toBe('0 new, 0 changed, 0 renamed, 1 deleted, 1 unchanged, 0 skipped, 0 failed.');
    expect(await externalIds()).toEqual(['handbook:b.md']);
    expect((await stop()).code).toBe(0);
  });

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** A service that answers as a test says. */
async function standIn(answer: (asked: Asked, response: ServerResponse) => void) {
  const seen: Asked[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const piece of request) body += piece;
    const asked = { method: request.method as string, path: request.url as string, body };
    seen.push(asked);
    answer(asked, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { COMMONPLACE_URL: `${url}/`, COMMONPLACE_ACCESS_KEY: 'cpa_secret', COMMONPLACE_WORKSPACE_ID: 'w' };
  return { seen, settings, url };
}

const answerJson = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(JSON.stringify(body));
const emptyList = { documents: [], _meta: { limit: 100, offset: 0, total: 0 } };

describe('a service that', () => {
  test('is busy is asked again, and no more than four uploads are under way at a time', async () => {
    const folder = temporaryFolder();
    write(folder, Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`${index}.md`, `Text ${index}.`])));
    const held: (() => void)[] = [];
    let [mostAtOnce, uploads] = [0, 0];
    const { seen, settings } = await standIn(({ method }, response) => {
      if (method === 'GET')
        return seen.length < 3 ? answerJson(response, seen.length === 1 ? 429 : 503, {}) : answerJson(response, 200, emptyList);
      if (++uploads % 3 === 0) return answerJson(response, 429, { errorMessage: 'Too many requests' });
      held.push(() => answerJson(response, 201, { id: 'x', status: 'processing' }));
      mostAtOnce = Math.max(mostAtOnce, held.length);
      // The others are there by then, if any are.
      setTimeout(() => held.shift()?.(), 20);
      return undefined;
    });
    const { code, stdout, stderr } = await cli(['sync', folder], { settings });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(summaryOf(stdout)).toContain('12 new');
    expect(mostAtOnce).toBeLessThanOrEqual(4);
    expect(seen.filter(({ method }) => method === 'GET')).toHaveLength(3);
  });

  test('refuses one file has all the others, and the exit code says so', async () => {
    const folder = temporaryFolder();
    write(folder, { 'a.md': 'Fine.', 'b.md': 'Refused.', 'c.md': 'Fine.' });
    const { settings } = await standIn(({ method, body }, response) => {
      if (method === 'GET') return answerJson(response, 200, emptyList);
      return body.includes('Refused.')
        ? answerJson(response, 400, { errorMessage: 'Not this one' })
        : answerJson(response, 201, { id: 'x' });
    });
    const { code, stdout, stderr } = await cli(['sync', folder], { settings });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'failed   b.md (Not this one)\n' });
    expect(summaryOf(stdout)).toContain('2 new, 0 changed, 0 renamed, 0 deleted, 0 unchanged, 0 skipped, 1 failed.');
  });

  const document = (name: string, text: string) => ({
    id: name,
    externalId: `handbook:${name}.md`,
    checksum: createHash('sha256').update(text).digest('hex'),
    title: name,
    labels: [],
    status: 'indexed',
  });

  test('can’t index the new name of a file keeps the old one', async () => {
    const folder = temporaryFolder();
    write(folder, { 'new.md': 'Text.', 'other.md': 'Other.' });
    const { seen, settings } = await standIn(({ method, path }, response) => {
      if (method === 'POST') return answerJson(response, 201, { id: 'new', status: 'processing' });
      if (path.endsWith('/documents/new')) return answerJson(response, 200, { id: 'new', status: 'failed', error: 'It has no text' });
      return answerJson(response, 200, { ...emptyList, documents: [document('old', 'Text.'), document('other', 'Other.')] });
    });
    const { code, stderr } = await cli(['sync', folder, '--prefix', 'handbook'], { settings });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'failed   old.md (it is kept, because its new name could not be indexed: It has no text)\n',
    });
    expect(seen.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  test('no longer has what is to be deleted is in step', async () => {
    const folder = temporaryFolder();
    write(folder, { 'other.md': 'Other.' });
    const { settings } = await standIn(({ method }, response) => {
      if (method === 'DELETE') return answerJson(response, 404, { errorMessage: 'Document not found' });
      return answerJson(response, 200, { ...emptyList, documents: [document('old', 'Text.'), document('other', 'Other.')] });
    });
    const { code, stdout } = await cli(['sync', folder, '--prefix', 'handbook'], { settings });
    expect([code, summaryOf(stdout)]).toEqual([0, '0 new, 0 changed, 0 renamed, 1 deleted, 1 unchanged, 0 skipped, 0 failed.']);
  });

  test('refuses the new name of a file keeps the old one', async () => {
    const folder = temporaryFolder();
    write(folder, { 'new.md': 'Text.', 'other.md': 'Other.' });
    const { seen, settings } = await standIn(({ method }, response) => {
      if (method !== 'GET') return answerJson(response, 400, { errorMessage: 'Not now' });
      return answerJson(response, 200, { ...emptyList, documents: [document('old', 'Text.'), document('other', 'Other.')] });
    });
    const { code, stderr } = await cli(['sync', folder, '--prefix', 'handbook'], { settings });
    expect(code).toBe(1);
    expect(stderr).toContain('failed   old.md (it is kept, because its new name could not be uploaded)');
    expect(seen.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  test('does not know the key, or is not there, is named in one line, without the key', async () => {
    const folder = temporaryFolder();
    write(folder, { 'a.md': 'Text.' });
    const { settings, url } = await standIn((_, response) => answerJson(response, 401, { errorMessage: 'Unauthenticated' }));
    const refused = await cli(['sync', folder], { settings });
    expect(refused).toEqual({ code: 1, stdout: '', stderr: 'commonplace: Unauthenticated\n' });
    const nobody = await cli(['sync', folder], { settings: { ...settings, COMMONPLACE_URL: 'http://127.0.0.1:1' } });
    expect(nobody).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('No answer from http://127.0.0.1:1/api/v1: '),
    });
    expect(refused.stderr + nobody.stderr).not.toContain('cpa_secret');
    // Somebody else may be listening where a redirection leads.
    const away = await standIn((_, response) => response.writeHead(307, { location: url }).end());
    expect((await cli(['sync', folder], { settings: away.settings })).code).toBe(1);
  });

  test.each([
    [
      { COMMONPLACE_ACCESS_KEY: '', COMMONPLACE_API_KEY: 'cpu_secret', COMMONPLACE_WORKSPACE_ID: '' },
      'COMMONPLACE_WORKSPACE_ID must name the workspace',
    ],
    [{ COMMONPLACE_ACCESS_KEY: '' }, 'COMMONPLACE_ACCESS_KEY or COMMONPLACE_API_KEY must hold a key'],
    [{ COMMONPLACE_URL: 'ftp://x' }, '"ftp://x" is no http:// or https:// address'],
  ])('%j is not told of', async (changes, expected) => {
    const settings = { COMMONPLACE_ACCESS_KEY: 'cpa_secret', COMMONPLACE_WORKSPACE_ID: 'w', ...changes };
    expect(await cli(['sync', temporaryFolder()], { settings })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(expected),
    });
  });
});
