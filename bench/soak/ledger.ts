/** What a service has acknowledged, item by item, and whether it still knows. */

/** The fields that were acknowledged, or that the item is gone. */
export type State = 'gone' | Readonly<Record<string, string>>;

export interface Entry {
  readonly path: string;
  state: State;
  /** A change that was sent and whose answer never came: it holds or it does not. */
  pending: State | undefined;
}

/** A request with an Idempotency-Key; without an id, its answer never came. */
export interface Replay {
  readonly path: string;
  readonly key: string;
  readonly body: object;
  id: string | undefined;
}

/** One request; undefined where the service was gone before it answered. */
export type Ask = (
  method: string,
  path: string,
  body?: object | FormData,
  headers?: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly body: Record<string, unknown> } | undefined>;

const READERS = 8;

export class Ledger {
  readonly entries: Entry[] = [];
  readonly replays: Replay[] = [];
  /** Secrets of keys whose deletion was acknowledged, with what they opened before. */
  readonly deletedKeys: { readonly secret: string; readonly path: string }[] = [];
  readonly lost: string[] = [];
  #checked = { entries: 0, replays: 0, deletedKeys: 0 };

  add(path: string, state: State): Entry {
    const entry = { path, state, pending: undefined };
    this.entries.push(entry);
    return entry;
  }

  /** Everything that was acknowledged since the last check, and everything that was changed since. */
  async checkNew(ask: Ask, changed: ReadonlySet<Entry>): Promise<void> {
    const { entries, replays, deletedKeys } = this.#checked;
    await this.#check(ask, new Set([...changed, ...this.entries.slice(entries)]), replays, deletedKeys);
  }

  /** Everything, from the first write on. */
  async checkAll(ask: Ask): Promise<void> {
    await this.#check(ask, new Set(this.entries), 0, 0);
  }

  async #check(ask: Ask, entries: ReadonlySet<Entry>, fromReplay: number, fromKey: number): Promise<void> {
    await atOnce(READERS, [...entries], (entry) => this.#checkEntry(ask, entry));
    await atOnce(READERS, this.replays.slice(fromReplay), (replay) => this.#checkReplay(ask, replay));
    await atOnce(READERS, this.deletedKeys.slice(fromKey), async ({ secret, path }) => {
      const answer = await ask('GET', path, undefined, { 'x-access-key': secret });
      if (answer?.status !== 401) this.lost.push(`the deletion of a key: ${path} answers it with ${answer?.status}`);
    });
    this.#checked = { entries: this.entries.length, replays: this.replays.length, deletedKeys: this.deletedKeys.length };
  }

  async #checkEntry(ask: Ask, entry: Entry): Promise<void> {
    const answer = await ask('GET', entry.path);
    const holds = (state: State) =>
      state === 'gone'
        ? answer?.status === 404
        : answer?.status === 200 && Object.entries(state).every(([name, value]) => answer.body[name] === value);
    const found = [entry.state, entry.pending].find((state) => state !== undefined && holds(state));
    if (found === undefined) {
      this.lost.push(
        `${entry.path}: acknowledged as ${JSON.stringify(entry.state)}, now ${answer?.status} ${JSON.stringify(answer?.body)}`,
      );
      return;
    }
    entry.state = found;
    entry.pending = undefined;
  }

  /** The same answer as before the crash; where none came, the one that is given now is the answer from then on. */
  async #checkReplay(ask: Ask, replay: Replay): Promise<void> {
    const answer = await ask('POST', replay.path, replay.body, { 'idempotency-key': replay.key });
    const id = answer?.status === 201 ? String(answer.body.id) : undefined;
    if (id === undefined || (replay.id !== undefined && replay.id !== id))
      this.lost.push(`${replay.path} with the Idempotency-Key ${replay.key}: acknowledged ${replay.id}, now ${answer?.status} ${id}`);
    else replay.id = id;
  }
}

async function atOnce<T>(count: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
