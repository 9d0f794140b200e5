/** Background work that a test holds in its hands: what a reader or a model makes of texts, and when. */
import { pino } from 'pino';
import { type Mock, vi } from 'vitest';
import { JobRunner } from '../src/jobs/job-runner.ts';
import type { ExtractorSelector } from '../src/memories/extraction/choose-extractor.ts';
import { extractionHandlers } from '../src/memories/extraction/pipeline.ts';
import { regenerationHandler } from '../src/memories/extraction/regeneration.ts';
import { type Embedder, RefusedText } from '../src/search/embedding/embedder.ts';
import { type Answer, made, type TestApi, type TestSession } from './api.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The jobs of a session's workspace, as its owner sees them. */
export function jobsOf(api: TestApi, { workspace }: TestSession['agent']) {
  const url = `${workspace.url}/jobs`;
  const page = async (query = ''): Promise<Answer['body']> => {
    const { status, body, text } = await workspace.owner.get(`${url}?${query}`);
    if (status !== 200) throw new Error(`Expected 200, got ${status}: ${text}`);
    return body;
  };
  return {
    url,
    page,
    list: async (query = ''): Promise<Answer['body'][]> => (await page(query)).jobs,
    retry: (id: string) => workspace.owner.post(`${url}/${id}/retry`),
    counts: async () => {
      const { waiting, running, failed } = (await page()).counts;
      return [waiting, running, failed];
    },
    workspaceId: workspace.id,
    api,
  };
}

export async function newTalk(api: TestApi, title = 'A talk') {
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true } });
  const session = await api.newSession(agent, '', { title });
  const write = async (content: string): Promise<string> =>
    made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content })).id;
  return { agent, session, write, ...jobsOf(api, agent) };
}

/** Extraction by a reader that the test gives; it finds nothing in what it reads. */
export function newReader(api: TestApi) {
  const read: Mock<(contents: string[]) => Promise<void>> = vi.fn(async () => undefined);
  const choice = {
    extract: async (_: string, messages: { content: string }[]) => {
      await read(messages.map(({ content }) => content));
      return { extraction: { memories: [], withdrawn: [], secrets: 0 }, extractor: 'test' };
    },
    summarize: async () => undefined,
  } as unknown as ExtractorSelector;
  const { db, clock } = api;
  const log = pino({ level: 'silent' });
  const options = { db, clock, log, choice, outbox: api.app.outbox, shortLivedMs: DAY_MS };
  const handlers = { ...extractionHandlers(options), 'regenerate-memories': regenerationHandler(options) };
  const runner = new JobRunner({ db, clock, log, handlers });
  const run = async () => {
    await api.app.context.deferredJobs.flush();
    api.clock.advance(20 * 60_000);
    await runner.drain();
  };
  return { read, run };
}

/** Stops a call in its middle until it is let go. */
export function newGate() {
  const { promise: isReached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return {
    open,
    isReached,
    pass: async () => {
      reach();
      await opened;
    },
  };
}

/** The model refuses texts with this word. */
export function refuseTexts(api: TestApi, word: string) {
  const { embedder } = api.app.context.searcher;
  const embed = (embedder as Required<Embedder>).embedWithTokens.bind(embedder);
  return vi.spyOn(embedder as Required<Embedder>, 'embedWithTokens').mockImplementation(async (texts, options) => {
    const made = await embed(texts, options);
    return made.map((one, index) => (texts[index]?.includes(word) ? new RefusedText('The model has taken offence.') : one));
  });
}
