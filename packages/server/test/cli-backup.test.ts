/** The continuous backup as it is used: the service killed, a point in time restored into a new folder, and the service on it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { cli, serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { SPOOL_FOLDER } from '../src/db/continuous-backup/spool.ts';

const KEY = 'the-key-of-the-backup-test';

async function ask(url: string, body?: object): Promise<string[]> {
  const answer = await fetch(`${url}/api/v1/workspaces`, {
    headers: { 'x-api-key': KEY, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  expect(answer.ok).toBe(true);
  const { workspaces = [] } = (await answer.json()) as { workspaces?: { name: string }[] };
  return workspaces.map(({ name }) => name).sort();
}

async function gauge(url: string, what: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`what="${what}"} (\\S+)`).exec(text)?.[1]);
}

test('what was sent before kill -9 is restored, at the end and at a time before', async () => {
  const target = temporaryFolder();
  const url = pathToFileURL(target).href;
  const dataDir = join(temporaryFolder(), 'data');
  const settings = { COMMONPLACE_DATA_DIR: dataDir, COMMONPLACE_ADMIN_API_KEY: KEY, COMMONPLACE_BACKUP_URL: url };
  const service = await serve(settings);
  await expect.poll(() => gauge(service.url, 'backup_snapshots_total')).toBe(1);
  const sendsNew = async (name: string) => {
    const before = await gauge(service.url, 'backup_segments_total');
    await ask(service.url, { name });
    await expect.poll(() => gauge(service.url, 'backup_segments_total')).toBeGreaterThan(before);
    await expect.poll(() => gauge(service.url, 'backup_waiting_bytes')).toBe(0);
  };
  await sendsNew('Before');
  const between = new Date().toISOString();
  await sendsNew('After');
  const running = await cli(['restore', '--from', url, '--force'], { settings });
  expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining(`in use by process ${service.process.pid} `) });
  const healthy = await cli(['doctor'], { settings });
  expect(healthy.stdout).toMatch(/Continuous backup\n {2}✓ The target can be written; its newest point is of \S+Z/);
  await service.stop('SIGKILL');

  expect(await cli(['backup', '--list'], { settings })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^00000001-[0-9a-f]{8}: from \S+Z to \S+Z \(1 snapshot, \d+ segments?, /),
  });
  const folders = { latest: join(temporaryFolder(), 'a'), [between]: join(temporaryFolder(), 'b') };
  const restore = async ([at, folder]: [string, string]) => {
    const { code, stderr } = await cli(['restore', '--from', url, '--at', at, '--data-dir', folder]);
    expect(code, stderr).toBe(0);
    const restored = await serve({ ...settings, COMMONPLACE_DATA_DIR: folder });
    const found = await ask(restored.url);
    const ended = await restored.stop();
    // It is not the folder that the target belongs to.
    expect(ended.stdout).toContain(`belongs to the data folder ${dataDir}`);
    return found;
  };
  expect(await Promise.all(Object.entries(folders).map(restore))).toEqual([['After', 'Before'], ['Before']]);

  const moved = { ...settings, COMMONPLACE_DATA_DIR: folders.latest };
  expect((await cli(['doctor'], { settings: moved })).stdout).toMatch(/✗ The target belongs to .* run "backup --take-over"/);
  expect((await cli(['backup', '--take-over'], { settings: moved })).stdout).toContain(`Taken over from ${dataDir}`);
  const next = await serve(moved);
  await expect.poll(() => gauge(next.url, 'backup_snapshots_total')).toBe(1);
  await next.stop();
  expect((await cli(['backup', '--list'], { settings: moved })).stdout.trimEnd().split('\n')).toHaveLength(2);
});

test('what can’t be meant is refused', async () => {
  const settings = { COMMONPLACE_DATA_DIR: temporaryFolder() };
  const refused = async (...args: string[]) => {
    const { code, stderr } = await cli(args, { settings });
    return `${code} ${stderr}`;
  };
  expect(await refused('backup', '--list')).toMatch(/^2 .*--from is needed/);
  expect(await refused('backup', '--list', 'file')).toMatch(/^2 .*unexpected argument "file"/);
  expect(await refused('restore')).toMatch(/^2 .*<file> is needed/);
  expect(await refused('restore', 'x.db', '--at', 'latest')).toMatch(/^2 .*--at goes with --from/);
  expect(await refused('restore', '--from', 'file:///nowhere', '--at', '2026-11-16 06:00')).toMatch(/^2 .*with its zone/);
  expect(await refused('restore', '--from', 's3://key:hunter2@bucket/x')).toMatch(/^2 (?!.*hunter2).*without keys in it/);
  expect(await refused('restore', '--from', 's3://bucket/x')).toMatch(/^1 .*AWS_ACCESS_KEY_ID/);
  expect(await refused('restore', '--from', 'file:///nowhere')).toMatch(/^1 .*no finished snapshot/);
  const wrong = await cli(['serve'], { settings: { ...settings, COMMONPLACE_BACKUP_URL: 's3://key:hunter2@bucket' } });
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^(?!.*hunter2).*COMMONPLACE_BACKUP_URL is a value of 23 characters/),
  });
  expect(existsSync(join(settings.COMMONPLACE_DATA_DIR, SPOOL_FOLDER))).toBe(false);
});
