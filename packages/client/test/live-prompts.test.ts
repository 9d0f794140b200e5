/** Prompts that are told of changes by a real service: in use at once, and without asking all the time. */
import { expect, onTestFinished, test } from 'vitest';
import { Commonplace } from '../src/commonplace.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { clientOf, describeOnEachEngine, type TestService } from './service.ts';

/** By way of a proxy that can be cut, with what was asked of the service. */
async function liveClient({ url, accessKey, workspaceId }: TestService) {
  const proxy = await startFaultProxy(url, () => undefined);
  const streams: number[] = [];
  const reads: number[] = [];
  const fetch: typeof globalThis.fetch = async (...args) => {
    const answer = await globalThis.fetch(...args);
    (String(args[0]).includes('/events?') ? streams : reads).push(answer.status);
    return answer;
  };
  const client = new Commonplace({ baseUrl: proxy.url, accessKey, workspaceId, fetch, livePrompts: true });
  onTestFinished(async () => {
    client.close();
    await proxy.close();
  });
  return { client, proxy, streams, reads };
}

async function newPrompt(service: TestService) {
  const { prompts } = clientOf(service);
  const name = `Live ${Math.random().toString(36).slice(2)}`;
  const { promptId, handle } = await prompts.create({ name, type: 'text', content: 'One', production: true });
  const promote = (content: string) => prompts.versions.create(promptId, { type: 'text', content, production: true });
  return { promptId, handle, promote, prompts };
}

/** The stream is there: what was read before it is asked for once more. */
async function untilLive(content: () => Promise<string>, reads: readonly number[]): Promise<void> {
  await expect.poll(async () => [await content(), reads.at(-1)], { interval: 5 }).toEqual(['One', 304]);
}

/** An hour: nothing here is asked for because of its age. */
const maxAgeMs = 3_600_000;

describeOnEachEngine((service) => {
  test('a promoted prompt is in use without its age having passed, by a request or two', async () => {
    const { handle, promote, promptId, prompts } = await newPrompt(service());
    const { client, streams, reads } = await liveClient(service());
    const content = async () => (await client.prompts.get(handle, { version: 'production', maxAgeMs })).content;
    await untilLive(content, reads);
    reads.splice(0);
    await promote('Two');
    await expect.poll(content, { interval: 5 }).toBe('Two');
    expect(reads.filter((status) => status === 200)).toHaveLength(1);
    // The new version is an event, and so is its promotion; one more for each time that it had to connect again.
    expect(reads.length).toBeLessThanOrEqual(2 + streams.length - 1);
    const { data } = await prompts.versions.list(promptId);
    await prompts.versions.update(promptId, data.at(-1)?.id as string, { production: true });
    await expect.poll(content, { interval: 5 }).toBe('One');
    await prompts.delete(promptId);
    await expect.poll(() => content().catch((error) => error), { interval: 5 }).toBeInstanceOf(Commonplace.NotFoundError);
  });

  test('one that was promoted while the connection was cut is in use once it is there again', async () => {
    const { handle, promote } = await newPrompt(service());
    const { client, proxy, streams, reads } = await liveClient(service());
    const content = async () => (await client.prompts.get(handle, { version: 'production', maxAgeMs })).content;
    await untilLive(content, reads);
    proxy.cut();
    await promote('Two');
    await expect.poll(content, { interval: 5 }).toBe('Two');
    expect(streams.length).toBeGreaterThan(1);
  });
});
