/** The first five minutes of the README, as whoever is new lives through them: its blocks as they stand, the port aside. */
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { differences } from './guide.ts';
import { connect, use } from './mcp-session.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const SAID_PORT = '8080';
const SAID_ROOT = '/path/to/commonplace/';
const SAID_HOST = 'my-laptop';

interface McpServer {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

const mcpServerIn = (text: string): McpServer => JSON.parse(text).mcpServers.commonplace;

function readSection(): { prose: string; blocks: Record<string, string[]>; languages: string[] } {
  const page = readFileSync(join(root, 'README.md'), 'utf8');
  const prose = /^## The first five minutes\n([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  const found = [...prose.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language, body]) => [language as string, body as string] as const,
  );
  const blocks = Object.groupBy(found, ([language]) => language);
  return {
    prose,
    blocks: Object.fromEntries(Object.entries(blocks).map(([language, items = []]) => [language, items.map(([, body]) => body)])),
    languages: found.map(([language]) => language),
  };
}

test('the first screen has the two commands, and they are those of the package', () => {
  const [, first] = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  expect(first).toMatch(/^npm install && npm start .*\nnpm install && npm test .*\n$/);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(scripts.start).toMatch(/ exec node packages\/server\/bin\/commonplace\.js serve$/);
});

test('init, a program, an editor by MCP, and curl: each does what is said of it', async () => {
  const { prose, blocks, languages } = readSection();
  expect(languages).toEqual(['sh', 'ts', 'sh', 'text', 'json', 'sh']);
  const [init = '', start = '', curl = ''] = blocks.sh ?? [];

  // A folder of its own, with the packages of the repository: here, init would write into the repository.
  const folder = temporaryFolder();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const { url } = await serve({}, { cwd: folder });
  const port = new URL(url).port;
  const { PATH, HOME } = process.env;
  const shell = (commands: string) =>
    run('bash', ['-euo', 'pipefail', '-c', commands], { cwd: folder, env: { PATH, HOME, COMMONPLACE_PORT: port } });

  const made = await shell(init);
  const file = /`(\w+\.ts)`/.exec(prose)?.[1] ?? '';
  expect(start).toContain(file);
  writeFileSync(join(folder, file), blocks.ts?.[0] ?? '');
  // By the rules of the repository, where the client is its sources.
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: join(root, 'tsconfig.json'), include: [file] }));
  await run(join(root, 'node_modules/.bin/tsc'), [], { cwd: folder });
  expect((await shell(start)).stdout).toBe(blocks.text?.[0]);

  const shown = mcpServerIn((blocks.json?.[0] ?? '').replace(SAID_PORT, port).replace(SAID_ROOT, root).replace(SAID_HOST, hostname()));
  const printed = mcpServerIn(made.stderr.slice(made.stderr.indexOf('{\n'), made.stderr.lastIndexOf('}\n') + 1));
  // Which Node it is depends on how the program was installed.
  expect(basename(printed.command)).toBe(shown.command);
  expect(differences({ ...shown, command: printed.command }, printed)).toEqual([]);
  expect(Object.keys(printed.env)).toEqual(Object.keys(shown.env));

  const editor = await connect(new StdioClientTransport({ ...printed, stderr: 'ignore' }), 'today');
  onTestFinished(() => editor.close());
  const [question, order] = [...prose.matchAll(/“([^”]+)”/g)].map((match) => (match[1] as string).replace('\n', ' '));
  expect(question).toBe('What do you remember about me?');
  // What an assistant calls for it.
  const { memories } = await use(editor, 'get_memories');
  expect(memories.map(({ content }: { content: string }) => content).sort()).toEqual(['User lives in Graz', 'User prefers aisle seats']);
  await use(editor, 'add_memory', { content: order?.replace('Remember that I travel', 'User travels') });
  expect((await shell(start)).stdout).toContain('User travels with two cats');

  const { results } = JSON.parse((await shell(curl)).stdout);
  expect(results).toMatchObject([{ text: 'User prefers aisle seats' }]);
});
