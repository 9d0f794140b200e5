/** HAProxy with the configuration of the cluster, in front of three nodes that answer with their names. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../packages/server/src/cli/spawn-for-test.ts';
import { canUseDebianRoot } from '../../packages/server/test/debian-root.ts';
import { findPrograms } from '../../packages/server/test/programs.ts';
import { deployFolder } from '../check/places.ts';

const NODES = ['node-1', 'node-2', 'node-3'];
const [haproxy] = [...findPrograms('haproxy'), ...findPrograms('../sbin/haproxy')];
if (!haproxy && process.env.CI && canUseDebianRoot()) throw new Error('Tests: no HAProxy; apt-get install haproxy');
if (!haproxy) console.warn('Tests: HAProxy is not installed, and its configuration not tried');

test('the proxy asks each node whether it can serve', () => {
  const text = readFileSync(join(deployFolder, 'haproxy.cfg'), 'utf8');
  expect(text).toMatch(/^ {4}option httpchk GET \/api\/v1\/_ready$/m);
  expect(text).toMatch(/^ {4}default-server check /m);
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function startProxy(ports: ReadonlyMap<string, number>): Promise<string> {
  const held = createServer();
  const port = await listen(held);
  held.close();
  let text = readFileSync(join(deployFolder, 'haproxy.cfg'), 'utf8').replace('bind :8080', `bind 127.0.0.1:${port}`);
  for (const [name, nodePort] of ports) text = text.replace(`${name}:8080`, `127.0.0.1:${nodePort}`);
  const file = join(temporaryFolder(), 'haproxy.cfg');
  writeFileSync(file, text);
  const child = spawn(haproxy as string, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(async () => child.exitCode !== null || (await fetch(url).catch(() => undefined))?.status === 200).toBe(true);
  expect(child.exitCode, said).toBeNull();
  return url;
}

if (haproxy)
  test('a workspace has its node; where that is away, its workspaces alone go elsewhere; metrics stay inside', async () => {
    const servers = new Map<string, Server>();
    const ports = new Map<string, number>();
    for (const name of NODES) {
      const server = createServer((_request, answer) => answer.end(name));
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      servers.set(name, server);
      ports.set(name, await listen(server));
    }
    const url = await startProxy(ports);
    const ask = async (path: string) => {
      const answer = await fetch(url + path).catch(() => undefined);
      return { status: answer?.status, text: await answer?.text() };
    };
    const workspaces = Array.from({ length: 60 }, (_, index) => `ws_${index}`);
    const nodesOf = async (path: string) =>
      new Map(await Promise.all(workspaces.map(async (id) => [id, (await ask(`/api/v1/workspaces/${id}${path}`)).text] as const)));

    const before = await nodesOf('/documents');
    expect(await nodesOf('/agents/a/sessions?limit=1')).toEqual(before);
    expect(new Set(before.values())).toEqual(new Set(NODES));
    expect(new Set((await Promise.all(NODES.map(() => ask('/')))).map(({ text }) => text)).size).toBeGreaterThan(1);
    expect((await ask('/metrics')).status).toBe(404);

    servers.get('node-2')?.closeAllConnections();
    servers.get('node-2')?.close();
    const others = workspaces.filter((id) => before.get(id) !== 'node-2');
    await expect.poll(async () => [...(await nodesOf('')).values()].every((node) => node === 'node-1' || node === 'node-3')).toBe(true);
    const after = await nodesOf('');
    for (const id of others) expect(after.get(id)).toBe(before.get(id));
  });
