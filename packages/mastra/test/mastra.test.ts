/** What only Mastra itself can show. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { NewMessages, SessionHandle } from '@commonplace/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../../scripts/build-packages.ts';
import { type ScriptedAnswer, startModelServer } from '../../ai-sdk/test/model-server.ts';
import { remember } from '../src/remember.ts';
import { mastraFolder } from './runners.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

describe.runIf(mastraFolder)('Mastra itself', () => {
  const folder = mastraFolder as string;

  interface MastraStream {
    readonly textStream: AsyncIterable<string>;
  }
  interface MastraAgent {
    stream(input: string, options: { abortSignal: AbortSignal }): Promise<MastraStream>;
  }

  async function load(path: string): Promise<Record<string, unknown>> {
    return await import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve(path)).href);
  }

  /** Streams an answer, aborted once it has shown `abortAt`; gives what was written and what the model was sent. */
  async function streamed(script: ScriptedAnswer[], abortAt?: string) {
    const written: string[] = [];
    const session = {
      context: async () => ({ messages: [{ role: 'system', content: 'Known.' }] }),
      messages: {
        createBatch: async ({ messages }: NewMessages) => written.push(...messages.map(({ role, content }) => `${role}: ${content}`)),
      },
    } as unknown as SessionHandle;
    const { url, requests, answer } = await startModelServer();
    answer(...script);
    const { Agent } = (await load('@mastra/core/agent')) as { Agent: new (settings: object) => MastraAgent };
    const { createTool } = (await load('@mastra/core/tools')) as { createTool(tool: object): unknown };
    const { z } = (await load('zod')) as unknown as typeof import('zod');
    const weather = createTool({
      id: 'weather',
      description: 'The weather',
      inputSchema: z.object({ city: z.string() }),
      execute: async () => 'Rain',
    });
    const processor = remember({ session });
    const agent = new Agent({
      id: 'a',
      name: 'A',
      instructions: 'Be brief.',
      model: { id: 'custom/stand-in', url, apiKey: 'k' },
      tools: { weather },
      inputProcessors: [processor],
      outputProcessors: [processor],
    });
    const aborting = new AbortController();
    const { textStream } = await agent.stream('How is the weather?', { abortSignal: aborting.signal });
    let shown = '';
    for await (const piece of textStream) {
      shown += piece;
      if (shown === abortAt) aborting.abort();
    }
    return { written, requests, shown };
  }

  test('a loop of tools writes the question once and what was said, and has one context', async () => {
    const toolCall = { name: 'weather', input: { city: 'Leeds' } };
    const { written, requests } = await streamed([{ toolCall }, { text: ['It ', 'rains.'] }]);
    expect(requests.map((messages) => messages.map(({ role }) => role))).toEqual([
      ['system', 'system', 'user'],
      ['system', 'system', 'user', 'assistant', 'tool'],
    ]);
    expect(written).toEqual(['user: How is the weather?', 'assistant: It rains.']);
  });

  test('of a stream that is aborted, what was shown until then is written', async () => {
    const { written } = await streamed([{ text: ['It ', 'ra'], ending: 'silence' }], 'It ra');
    await expect.poll(() => written).toEqual(['user: How is the weather?', 'assistant: It ra']);
  });

  test('the processor is one by Mastra’s own types', async () => {
    const user = mkdtempSync(join(tmpdir(), 'commonplace-package-'));
    onTestFinished(() => rmSync(user, { recursive: true, force: true }));
    mkdirSync(join(user, 'node_modules/@commonplace'), { recursive: true });
    for (const name of ['client', 'mastra']) buildPackage(name, join(user, 'node_modules/@commonplace', name));
    symlinkSync(join(folder, 'node_modules/@mastra'), join(user, 'node_modules/@mastra'));
    writeFileSync(join(user, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(user, 'main.ts'),
      `import { Commonplace } from '@commonplace/client';
       import { remember } from '@commonplace/mastra';
       import { Agent } from '@mastra/core/agent';
       import type { Processor } from '@mastra/core/processors';
       const sessions = new Commonplace().agent('support').sessions;
       const memory = remember({ session: ({ threadId = '' }) => sessions.open({ id: threadId }), tokenBudget: 3000 }) satisfies Processor;
       new Agent({ id: 'a', name: 'A', instructions: '', model: 'openai/gpt-5', inputProcessors: [memory], outputProcessors: [memory] });`,
    );
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--lib',
      'es2024,dom',
      '--types',
      '',
    ];
    const { stdout } = await run(join(modules, '.bin/tsc'), [...options, 'main.ts'], { cwd: user }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });
});
