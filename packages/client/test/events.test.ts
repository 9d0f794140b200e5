/** Events of a real service, also over connections that are cut. */
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../server/test/cached-folder.ts';
import { Commonplace } from '../src/commonplace.ts';
import type { FollowOptions } from '../src/resources/events.ts';
import type { Event } from '../src/types.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { clientOf, describeOnEachEngine, type TestService } from './service.ts';

const contentOf = ({ data }: Event) => (data.message as { content: string }).content;

/** Follows in the background; what came is there, and how often it was connected. */
class Followed {
  readonly contents: string[] = [];
  connections = 0;
  readonly #controller = new AbortController();
  readonly #ended: Promise<void>;

  constructor(client: Commonplace, options: FollowOptions) {
    this.#ended = this.#follow(client, options);
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    await this.#ended;
  }

  async #follow(client: Commonplace, options: FollowOptions): Promise<void> {
    const onConnect = () => {
      this.connections++;
    };
    for await (const event of client.events.follow({ ...options, onConnect, signal: this.#controller.signal }))
      this.contents.push(contentOf(event));
  }
}

async function openSession(service: TestService) {
  const client = clientOf(service);
  const agent = await client.agents.create({ name: `Followed ${Math.random().toString(36).slice(2)}` });
  const session = await client.agent(agent.id).sessions.open({ id: 'chat' });
  const say = (content: string) => session.messages.create({ role: 'user', content });
  return { client, session, say };
}

/** By way of a proxy that can cut what goes over it. */
async function throughProxy({ url, accessKey, workspaceId }: TestService) {
  const proxy = await startFaultProxy(url, () => undefined);
  onTestFinished(() => proxy.close());
  return { proxy, client: new Commonplace({ baseUrl: proxy.url, accessKey, workspaceId }) };
}

describeOnEachEngine((service) => {
  test('events are listed over all pages, and on from one of them', async () => {
    const { session, say } = await openSession(service());
    for (let index = 0; index < 7; index++) await say(String(index));
    const all: Event[] = [];
    for await (const event of session.events.list({ types: ['message.created'], limit: 3 })) all.push(event);
    expect(all.map(contentOf)).toEqual(['0', '1', '2', '3', '4', '5', '6']);
    const since: string[] = [];
    for await (const event of session.events.list({ types: 'message.created', after: all[1]?.id as string, limit: 2 }))
      since.push(contentOf(event));
    expect(since).toEqual(['2', '3', '4', '5', '6']);
  });

  test('events are followed from now, or on from one, and the loop ends when it is left', async () => {
    const { client, session, say } = await openSession(service());
    await say('Before');
    const live = new Followed(client, { types: ['message.created'], sessionId: session.id });
    await expect.poll(() => live.connections).toBe(1);
    await say('After');
    await expect.poll(() => live.contents).toEqual(['After']);
    await live.stop();
    const [first] = (await session.events.list({ types: ['message.created'] })).data;
    for await (const event of session.events.follow({ types: ['message.created'], after: first?.id as string })) {
      expect(contentOf(event)).toBe('After');
      break;
    }
  });

  test('over connections that are cut, each comes once and in order', async () => {
    const { session, say } = await openSession(service());
    const { client, proxy } = await throughProxy(service());
    const followed = new Followed(client, { types: ['message.created'], sessionId: session.id });
    await expect.poll(() => followed.connections).toBe(1);
    // Before the first event, too: what is written while nobody is connected is not missed.
    proxy.cut();
    const written: string[] = [];
    for (let round = 1; round <= 3; round++) {
      for (let index = 0; index < 20; index++) {
        written.push(`${round}-${index}`);
        await say(`${round}-${index}`);
        if (index === 10) proxy.cut();
      }
      await expect.poll(() => followed.contents.length).toBe(written.length);
    }
    await followed.stop();
    expect(followed.contents).toEqual(written);
    expect(followed.connections).toBeGreaterThan(2);
  });

  test('a key that may read nothing of it is an error, and so is one that was taken away', async () => {
    const { url, workspaceId, admin } = service();
    const { accessKeys } = admin.workspace(workspaceId);
    const blind = await accessKeys.create({ name: 'Blind', permissions: ['CAN_CREATE_AGENT'] });
    const refused = new Commonplace({ baseUrl: url, workspaceId, accessKey: blind.key }).events.follow();
    await expect(refused.next()).rejects.toBeInstanceOf(Commonplace.PermissionDeniedError);
    const reader = await accessKeys.create({ name: 'Reader', permissions: ['CAN_GET_SESSION_MESSAGE'] });
    let connections = 0;
    const followed = new Commonplace({ baseUrl: url, workspaceId, accessKey: reader.key }).events.follow({
      onConnect: () => {
        connections++;
      },
    });
    const next = expect(followed.next()).rejects.toBeInstanceOf(Commonplace.AuthenticationError);
    await expect.poll(() => connections).toBe(1);
    await accessKeys.delete(reader.id);
    await next;
  });

  test('a program that leaves the loop, or closes the client, comes to its end', async () => {
    const { session } = await openSession(service());
    const { url, accessKey, workspaceId } = service();
    const source = `
      import { Commonplace } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
      const client = new Commonplace({ ...${JSON.stringify({ baseUrl: url, accessKey, workspaceId })}, livePrompts: true });
      const session = client.agent(${JSON.stringify(session.data?.agentId)}).session(${JSON.stringify(session.id)});
      await client.prompts.get('none', { fallback: 'x' }).catch(() => undefined);
      const onConnect = () => void session.messages.create({ role: 'user', content: 'Over' });
      for await (const event of session.events.follow({ types: ['message.created'], onConnect })) { console.log(event.data.message.content); break; }
      client.close();`;
    const said = await runProgram(process.execPath, ['--input-type=module-typescript', '--eval', source]);
    expect(said).toBe('Over\n');
  });
});
