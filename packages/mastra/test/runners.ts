/** Who runs the processor: a stand-in for Mastra, and Mastra itself. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SentMessage } from '../../ai-sdk/test/model-server.ts';
import { cachedPackages } from '../../server/test/cached-packages.ts';
import type { MastraMessage, MastraMessageList, RememberProcessor } from '../src/mastra.ts';

export interface Conversation {
  readonly memory: { readonly thread: string; readonly resource: string };
}

export type Input = readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];

/** Gives the text of the answer. */
export type Runner = (input: Input, conversation: Conversation) => Promise<string>;

export interface RunnerSettings {
  readonly url: string;
  readonly processor: RememberProcessor;
  readonly instructions: string;
}

/** Its 152 packages are 132 MB: fetched by the tests, not by everybody's `npm install`. */
const MASTRA = { '@mastra/core': '1.71.0', zod: '4.6.7' };

/** Where `@mastra/core` is installed; undefined, and said so, where it could not be fetched. */
export const mastraFolder = await findMastra();

async function findMastra(): Promise<string | undefined> {
  try {
    return await cachedPackages(`mastra-${MASTRA['@mastra/core']}`, MASTRA, '@mastra/core/package.json');
  } catch (error) {
    if (process.env.CI) throw error;
    console.warn(`Tests: the processor is tried with a stand-in for Mastra alone, which could not be fetched: ${(error as Error).message}`);
    return undefined;
  }
}

export const runners: Record<string, (settings: RunnerSettings) => Promise<Runner>> = {
  'a stand-in for Mastra': startStandIn,
  ...(mastraFolder && { Mastra: (settings: RunnerSettings) => startMastra(mastraFolder, settings) }),
};

/** Keeps messages in the order of time, as Mastra’s list does. */
class StandInList implements MastraMessageList {
  readonly #system: string[];
  #messages: { role: string; createdAt: Date; content: { parts: readonly { type: string; text?: string }[] } }[];

  constructor(instructions: string, messages: MastraMessage[]) {
    this.#system = [instructions];
    this.#messages = [...messages];
  }

  add(messages: Parameters<MastraMessageList['add']>[0]): void {
    this.#messages = [...this.#messages, ...messages].sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  addSystem(text: string): void {
    this.#system.push(text);
  }

  prompt(): SentMessage[] {
    const said = this.#messages.map(({ role, content }) => ({ role, content: content.parts.map(({ text }) => text).join('\n') }));
    return [...this.#system.map((content) => ({ role: 'system', content })), ...said];
  }
}

export async function startStandIn({ url, processor, instructions }: RunnerSettings): Promise<Runner> {
  return async (input, { memory }) => {
    const nowMs = Date.now();
    const messages = input.map(
      ({ role, content }, index): MastraMessage => ({
        id: crypto.randomUUID(),
        role,
        createdAt: new Date(nowMs + index),
        threadId: memory.thread,
        resourceId: memory.resource,
        content: { format: 2, parts: [{ type: 'text', text: content }] },
      }),
    );
    const messageList = new StandInList(instructions, messages);
    const state = {};
    await processor.processInput({ messageList, messages, state });
    const answer = await fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify({ messages: messageList.prompt() }) });
    const text = answer.ok ? ((await answer.json()) as { choices: [{ message: { content: string } }] }).choices[0].message.content : '';
    const finishReason = answer.ok ? 'stop' : 'error';
    await processor.processOutputResult({ messageList, messages, state, result: { text, finishReason, steps: [{ text }] } });
    if (!answer.ok) throw new Error('The model refused');
    return text;
  };
}

/** What of Mastra’s agents is called. */
interface MastraAgent {
  generate(input: Input, options: Conversation & { modelSettings: { maxRetries: number } }): Promise<{ text: string }>;
}

async function startMastra(folder: string, { url, processor, instructions }: RunnerSettings): Promise<Runner> {
  const path = createRequire(join(folder, 'package.json')).resolve('@mastra/core/agent');
  const { Agent } = (await import(pathToFileURL(path).href)) as { Agent: new (settings: object) => MastraAgent };
  const agent = new Agent({
    id: 'sales',
    name: 'Sales',
    instructions,
    model: { id: 'custom/stand-in', url, apiKey: 'k' },
    inputProcessors: [processor],
    outputProcessors: [processor],
  });
  return async (input, conversation) => (await agent.generate(input, { ...conversation, modelSettings: { maxRetries: 0 } })).text;
}
