/** Messages to a webhook whose receiver fails and hangs, while the service is killed again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newSecret } from '../../packages/server/src/auth/secrets.ts';
import { Processes } from '../processes.ts';
import { call, type KillableService, startService } from '../service.ts';
import { BadReceiver, type Judgement } from './bad-receiver.ts';

const hastyService = fileURLToPath(new URL('hasty-service.ts', import.meta.url));
const MESSAGES_AT_ONCE = 20;
const ASK_AGAIN_MS = 50;
/** Nothing arrived for so long: what is missing will not come. */
const PATIENCE_MS = 120_000;

export interface WebhookKillOptions {
  /** Which database the service is on. */
  readonly environment: Readonly<Record<string, string>>;
  readonly events: number;
  readonly sessions: number;
  readonly kills: number;
  readonly seed: number;
  readonly onKill?: (kills: number) => void;
}

export interface WebhookKillReport extends Judgement {
  readonly kills: number;
  readonly seconds: number;
}

export async function runWebhookKills(options: WebhookKillOptions): Promise<WebhookKillReport> {
  const { environment, kills, seed } = options;
  await using receiver = await BadReceiver.start(seed);
  await using processes = new Processes();
  const settings = {
    COMMONPLACE_RATE_LIMIT: 'off',
    COMMONPLACE_WEBHOOKS_ALLOW: '127.0.0.1',
    COMMONPLACE_ADMIN_API_KEY: newSecret('apiKey'),
    ...environment,
  };
  const start = () => startService(processes, settings, hastyService);
  const service = { current: await start() };
  const startMs = performance.now();
  const workspace = `/api/v1/workspaces/${(await make(service.current, '/api/v1/workspaces', { name: 'Webhooks' })).id}`;
  const agent = `${workspace}/agents/${(await make(service.current, `${workspace}/agents`, { name: 'Agent', description: 'Tells.' })).id}`;
  const webhook = await make(service.current, `${workspace}/webhooks`, { url: receiver.url, types: ['message.created'] });
  receiver.secret = webhook.secret ?? '';
  const sessions = new Map<string, number>();
  for (let index = 0; index < options.sessions; index++) {
    const { id } = await make(service.current, `${agent}/sessions`, { externalId: `session-${index}` });
    sessions.set(id, Math.floor((options.events + index) / options.sessions));
  }
  const writing = Promise.all([...sessions].map(([id, count]) => writeMessages(service, `${agent}/sessions/${id}/messages/batch`, count)));
  const failed = new Promise<never>((_, reject) => void writing.catch(reject));
  for (let killed = 1; killed <= kills; killed++) {
    // At moments that are counted, and not timed: as much of the work lies before the first as after the last.
    await Promise.race([failed, receiver.untilTaken(Math.floor((options.events * killed) / (kills + 1)))]);
    await service.current.kill();
    service.current = await start();
    options.onKill?.(killed);
  }
  await writing;
  await untilAllTaken(receiver, options.events);
  return { ...receiver.judge(sessions), kills, seconds: (performance.now() - startMs) / 1000 };
}

const make = (service: KillableService, path: string, body: object) =>
  call<{ readonly id: string; readonly secret?: string }>(service, 'POST', path, body);

/** In their order, each batch until it is acknowledged, and once. */
async function writeMessages(service: { readonly current: KillableService }, path: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += MESSAGES_AT_ONCE) {
    const length = Math.min(MESSAGES_AT_ONCE, count - first);
    const messages = Array.from({ length }, (_, index) => ({ role: 'user', content: String(first + index) }));
    while (!(await isAcknowledged(service.current, path, { messages }, `${path}/${first}`))) await sleep(ASK_AGAIN_MS);
  }
}

async function isAcknowledged({ url, apiKey }: KillableService, path: string, body: object, key: string): Promise<boolean> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key };
  try {
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await answer.arrayBuffer();
    if (!answer.ok && answer.status !== 503) throw new RangeError(`POST ${path}: ${answer.status}`);
    return answer.ok;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // It was killed: nobody knows whether it was written.
    return false;
  }
}

/** Or until nothing comes any more. */
async function untilAllTaken(receiver: BadReceiver, events: number): Promise<void> {
  let isOver = false;
  const all = receiver.untilTaken(events).then(() => {
    isOver = true;
  });
  for (let before = -1; !isOver && receiver.requests > before; ) {
    before = receiver.requests;
    const waiting = new AbortController();
    await Promise.race([all, sleep(PATIENCE_MS, undefined, { signal: waiting.signal }).catch(() => undefined)]);
    waiting.abort();
  }
}
