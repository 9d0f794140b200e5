/** MCP against a real process, over HTTP and over standard input and output, by the official client. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { grantablePermissions } from '@commonplace/contract/permissions';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { cli, serve, start, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import {
  type Ask,
  complaintOf,
  connect,
  type Era,
  eras,
  furnishWorkspace,
  type McpScene,
  SESSION,
  use,
  walkThrough,
} from './mcp-session.ts';

const ADMIN_KEY = 'the-key-of-a-service-under-test';
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface Place {
  readonly ask: Ask;
  readonly scene: McpScene;
  readonly key: string;
  /** Ends the service, which has the folder until then. */
  stop(): Promise<void>;
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
}

async function newPlace(): Promise<Place> {
  const dataDir = temporaryFolder();
  const { url, stop, process: service } = await serve({ COMMONPLACE_DATA_DIR: dataDir, COMMONPLACE_ADMIN_API_KEY: ADMIN_KEY });
  const ask: Ask = async (method, path, body, headers = {}) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': ADMIN_KEY, ...(typeof body === 'object' && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { id } = await ask('POST', '/workspaces', { name: 'A team' });
  const scene = await furnishWorkspace(ask, id, async (documentId) => {
    await expect.poll(async () => (await ask('GET', `/workspaces/${id}/documents/${documentId}`)).status).toBe('indexed');
  });
  const { key } = await ask('POST', `/workspaces/${id}/keys`, { name: 'mcp', permissions: grantablePermissions });
  return { ask, scene, key, url, dataDir, pid: service.pid as number, stop: async () => void (await stop()) };
}

const variablesOf = ({ key, scene }: Place, session = SESSION) => ({
  COMMONPLACE_ACCESS_KEY: key,
  COMMONPLACE_WORKSPACE_ID: scene.workspaceId,
  COMMONPLACE_AGENT_ID: scene.agentId,
  COMMONPLACE_SESSION_ID: session,
});

function overHttp({ url, key, scene }: Place) {
  const session = Buffer.from(SESSION).toString('latin1');
  const headers = { 'x-access-key': key, 'x-agent-id': scene.agentId, 'x-workspace-id': scene.workspaceId, 'x-session-id': session };
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
}

function overStdio(args: readonly string[], env: Record<string, string>) {
  return new StdioClientTransport({ command: process.execPath, args: [main, 'mcp', ...args], env, stderr: 'ignore' });
}

describe('a session by the official client', () => {
  test('over HTTP, and by a command that talks to the service', async () => {
    const place = await newPlace();
    for (const era of Object.keys(eras) as Era[]) {
      for (const transport of [overHttp(place), overStdio(['--url', place.url], variablesOf(place))]) {
        const client = await connect(transport, era);
        await walkThrough(client, place.ask, place.scene);
        await place.ask('PUT', `/workspaces/${place.scene.workspaceId}/agents/${place.scene.agentId}`, {
          configs: { memorySubject: null },
        });
        await client.close();
      }
    }
    const { key } = await place.ask('POST', `/workspaces/${place.scene.workspaceId}/keys`, {
      name: 'few',
      permissions: ['CAN_GET_PROMPT'],
    });
    const few = await connect(overStdio(['--url', place.url], { ...variablesOf(place), COMMONPLACE_ACCESS_KEY: key }), 'today');
    expect((await few.listTools()).tools.map(({ name }) => name).filter((name) => name !== 'get_context')).toEqual(['get_prompt']);
    expect(await use(few, 'get_prompt', { name: 'chat' })).toMatchObject({ version: 1 });
    await few.close();
    await place.stop();
  });

  test('by a command that has the data folder for itself', async () => {
    const place = await newPlace();
    const busy = await cli(['mcp', '--data-dir', place.dataDir], { settings: variablesOf(place) });
    expect(busy).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('leave out --data-dir') });
    await place.stop();
    const memories: string[] = [];
    for (const era of Object.keys(eras) as Era[]) {
      const client = await connect(overStdio(['--data-dir', place.dataDir], variablesOf(place, 'kept')), era);
      await use(client, 'add_memory', { content: `Added by the protocol of ${era}` });
      expect((await use(client, 'search_knowledge', { query: 'refunds' })).results).toHaveLength(1);
      memories.push(...(await use(client, 'get_memories')).memories.map(({ content }: { content: string }) => content));
      await client.close();
    }
    expect(memories).toEqual(['Added by the protocol of today', 'Added by the protocol of before', 'Added by the protocol of today']);
  });
});

test.runIf(existsSync('/proc/self/status'))('the largest messages, many at once, keep the process below 1 GB of memory', async () => {
  const { url, key, scene, pid, stop } = await newPlace();
  const headers = {
    ...{ 'x-access-key': key, 'x-agent-id': scene.agentId, 'x-session-id': 'large' },
    ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  };
  const send = async (name: string, given: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
    return [answer.status, /"isError":true/.test((await answer.text()).slice(-200))];
  };
  const atOnce = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: 10 }, work));
  expect(new Set((await atOnce(() => send('add_memory', { content: '\u0001'.repeat(1_000_000) }))).map(String))).toEqual(
    new Set(['200,false']),
  );
  for (let index = 0; index < 3; index++) await send('add_memory', { content: 'x'.repeat(1_000_000) });
  expect(new Set((await atOnce(() => send('get_memories', { limit: 3 }))).map(String))).toEqual(new Set(['200,false']));
  const peakKilobytes = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  expect(peakKilobytes).toBeLessThan(1024 * 1024);
  await stop();
});

describe('the command', () => {
  test('says what it needs', async () => {
    const settings = { COMMONPLACE_ACCESS_KEY: 'x' };
    expect(await cli(['mcp'])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('COMMONPLACE_ACCESS_KEY is not set') });
    expect(await cli(['mcp', '--url', 'nonsense'], { settings })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('no http:// or https:// address'),
    });
    const both = await cli(['mcp', '--url', 'http://127.0.0.1:1', '--data-dir', temporaryFolder()], { settings });
    expect(both).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('give one of them') });
  });

  test('names what is missing, answers every message, writes nothing but the protocol, and ends with its input', async () => {
    const lines = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ].map((line) => JSON.stringify(line));
    const { code, stdout, stderr } = await cli(['mcp', '--url', 'http://127.0.0.1:1'], {
      settings: { COMMONPLACE_ACCESS_KEY: 'x', COMMONPLACE_SESSION_ID: 'chat-1' },
      input: `${lines.join('\n')}\nnonsense\n`,
    });
    expect(code).toBe(0);
    expect(stderr).toContain('no agent is named (COMMONPLACE_AGENT_ID or --agent)');
    expect(stderr).not.toContain('no session');
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(2);
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } });
    expect(answers).toContainEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:1\/mcp .*is the service running/) },
    });
  });

  test('passes on what the service says of a wrong key, and of an agent that is not there', async () => {
    const place = await newPlace();
    const wrong = overStdio(['--url', place.url], { ...variablesOf(place), COMMONPLACE_ACCESS_KEY: 'wrong' });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await expect(client.connect(wrong)).rejects.toThrow(/Invalid access key/);
    const lost = overStdio(['--url', place.url, '--agent', place.scene.workspaceId, '--session', 'x'], variablesOf(place));
    const other = await connect(lost, 'before');
    expect(await complaintOf(other, 'get_memories')).toMatch(/^Agent not found/);
    await other.close();
    await place.stop();
  });

  test('ends on a signal with its folder closed', async () => {
    const dataDir = temporaryFolder();
    const { process: child, ended } = start(['mcp', '--data-dir', dataDir], { settings: { COMMONPLACE_ACCESS_KEY: 'x' } });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { message: expect.stringContaining('Invalid access key') } });
  });
});
