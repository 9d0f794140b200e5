/** A client that writes of everything until the service is gone, and keeps in the ledger what was acknowledged. */
import { grantablePermissions } from '@commonplace/contract/permissions';
import type { Ask, Entry, Ledger } from './ledger.ts';
import { pick, type Random, wholeNumber } from './random.ts';

const BATCH = 5;

/** The service was gone before it answered. */
class Gone extends Error {}

export class Writer {
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #name: string;
  /** Of this round: entries that were changed, beside those that are new. */
  readonly changed = new Set<Entry>();
  readonly #entries = { message: [] as Entry[], memory: [] as Entry[], document: [] as Entry[], key: [] as Entry[] };
  readonly #secrets = new Map<Entry, string>();
  #workspace = '';
  #session = '';
  #prompt = '';
  #count = 0;

  constructor(ledger: Ledger, random: Random, name: string) {
    this.#ledger = ledger;
    this.#random = random;
    this.#name = name;
  }

  /** A place of its own, so that nobody else changes what it wrote. */
  async settle(ask: Ask): Promise<void> {
    this.#workspace = `/workspaces/${await made(ask, '/workspaces', { name: this.#name })}`;
    const agent = `${this.#workspace}/agents/${await made(ask, `${this.#workspace}/agents`, { name: this.#name, description: 'Writes.' })}`;
    this.#session = `${agent}/sessions/${await made(ask, `${agent}/sessions`)}`;
    const prompt = { name: this.#name, type: 'text', content: 'Hello' };
    this.#prompt = `${this.#workspace}/prompts/${await made(ask, `${this.#workspace}/prompts`, prompt, 'promptId')}`;
  }

  get session(): string {
    return this.#session;
  }

  /** Until the service is gone; `onWrite` hears of each write that was acknowledged. */
  async write(ask: Ask, onWrite: () => void): Promise<void> {
    this.changed.clear();
    const writes = [
      this.#message,
      this.#messages,
      this.#messageOnce,
      this.#memory,
      this.#promptVersion,
      this.#document,
      this.#key,
      this.#edit,
      this.#edit,
      this.#delete,
    ];
    try {
      for (;;) {
        await pick(this.#random, writes).call(this, ask);
        onWrite();
      }
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
  }

  #text(): string {
    return `${this.#name} wrote line ${++this.#count}`;
  }

  async #message(ask: Ask): Promise<void> {
    const content = this.#text();
    const { id } = await acknowledged(ask('POST', `${this.#session}/messages`, { role: 'user', content }), 201);
    this.#entries.message.push(this.#ledger.add(`${this.#session}/messages/${id}`, { content }));
  }

  async #messages(ask: Ask): Promise<void> {
    const contents = Array.from({ length: BATCH }, () => this.#text());
    const messages = contents.map((content) => ({ role: 'user', content }));
    const answer = await acknowledged(ask('POST', `${this.#session}/messages/batch`, { messages }), 201);
    for (const [index, { id }] of (answer.messages as { id: string }[]).entries())
      this.#entries.message.push(this.#ledger.add(`${this.#session}/messages/${id}`, { content: contents[index] as string }));
  }

  async #messageOnce(ask: Ask): Promise<void> {
    const content = this.#text();
    const replay = { path: `${this.#session}/messages`, key: content.replaceAll(' ', '-'), body: { role: 'user', content } };
    const kept = { ...replay, id: undefined as string | undefined };
    this.#ledger.replays.push(kept);
    const { id } = await acknowledged(ask('POST', replay.path, replay.body, { 'idempotency-key': replay.key }), 201);
    kept.id = String(id);
  }

  async #memory(ask: Ask): Promise<void> {
    const content = this.#text();
    const { id } = await acknowledged(ask('POST', `${this.#session}/memories`, { kind: 'fact', content }), 201);
    this.#entries.memory.push(this.#ledger.add(`${this.#session}/memories/${id}`, { content }));
  }

  async #promptVersion(ask: Ask): Promise<void> {
    const content = this.#text();
    const { id } = await acknowledged(ask('POST', `${this.#prompt}/versions`, { type: 'text', content }), 201);
    this.#ledger.add(`${this.#prompt}/versions/${id}`, { content });
  }

  async #document(ask: Ask): Promise<void> {
    const title = this.#text();
    const form = new FormData();
    form.append('title', title);
    form.append('file', new Blob([`# ${title}\n\nSomething is said.`]), 'notes.md');
    const { id } = await acknowledged(ask('POST', `${this.#workspace}/documents`, form), 201);
    this.#entries.document.push(this.#ledger.add(`${this.#workspace}/documents/${id}`, { title }));
  }

  /** Used once, so that it is in every cache when it is deleted. */
  async #key(ask: Ask): Promise<void> {
    const name = this.#text();
    const { id, key } = await acknowledged(ask('POST', `${this.#workspace}/keys`, { name, permissions: grantablePermissions }), 201);
    const entry = this.#ledger.add(`${this.#workspace}/keys/${id}`, { name });
    this.#entries.key.push(entry);
    this.#secrets.set(entry, String(key));
    await acknowledged(ask('GET', `${this.#session}/messages?limit=1`, undefined, { 'x-access-key': String(key) }), 200);
  }

  async #edit(ask: Ask): Promise<void> {
    const entries = pick(this.#random, [this.#entries.message, this.#entries.memory]);
    const entry = entries[wholeNumber(this.#random, 0, entries.length - 1)];
    if (!entry) return this.#message(ask);
    const content = this.#text();
    await this.#change(entry, { content }, () => acknowledged(ask('PUT', entry.path, { content }), 200));
  }

  async #delete(ask: Ask): Promise<void> {
    const entries = pick(this.#random, Object.values(this.#entries));
    const [entry] = entries.splice(wholeNumber(this.#random, 0, entries.length - 1), 1);
    if (!entry) return this.#message(ask);
    await this.#change(entry, 'gone', () => acknowledged(ask('DELETE', entry.path), 204));
    const secret = this.#secrets.get(entry);
    if (secret) this.#ledger.deletedKeys.push({ secret, path: `${this.#session}/messages?limit=1` });
  }

  async #change(entry: Entry, state: Entry['state'], send: () => Promise<unknown>): Promise<void> {
    this.changed.add(entry);
    entry.pending = state;
    await send();
    entry.state = state;
    entry.pending = undefined;
  }
}

async function acknowledged(answering: ReturnType<Ask>, status: number): Promise<Record<string, unknown>> {
  const answer = await answering;
  if (!answer) throw new Gone();
  if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function made(ask: Ask, path: string, body?: object, idName = 'id'): Promise<string> {
  return String((await acknowledged(ask('POST', path, body), 201))[idName]);
}
