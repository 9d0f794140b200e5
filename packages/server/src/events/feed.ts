/** Events as they happen: read once for all who follow a workspace on this node, whoever wrote what they tell of. */
import type { Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { runInLane, runInServiceLane } from '../lanes/current-lane.ts';
import type { Log } from '../logging.ts';
import type { Outbox } from '../outbox/distribution.ts';
import { describeEvents } from './resources.ts';
import { isSelected } from './selection.ts';
import { type EventRow, type EventSelection, lastSeqOf, lastSeqs, readEvents } from './store.ts';

const LOOK_EVERY_MS = 100;
const AFTER_FAILURE_MS = 1_000;
const READ_AT_ONCE = 200;
/** Of one workspace, before the others have their turn. */
const MOST_PAGES = 5;
const ASKED_AT_ONCE = 500;

/** An event as it is sent. */
interface EventText {
  readonly seq: number;
  readonly text: string;
}

export interface FollowedPage {
  readonly sinceSeq: number;
  readonly throughSeq: number;
  readonly events: readonly EventText[];
  /** All of them. */
  readonly joined: string;
}

export interface Follower {
  readonly selection: EventSelection;
  /** What it asked for of the events after one number and up to another. */
  receive(page: FollowedPage): void;
}

interface Followed {
  /** Up to here its followers were told of everything. */
  throughSeq: number | undefined;
  readonly followers: Set<Follower>;
}

export class EventFeed {
  readonly #db: Database;
  readonly #clock: Context['clock'];
  readonly #log: Log;
  readonly #outbox: Outbox;
  readonly #followed = new Map<string, Followed>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor({ db, clock, log }: Pick<Context, 'db' | 'clock' | 'log'>, outbox: Outbox) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#outbox = outbox;
  }

  /** From now on it is told of what comes; what it knows already it has to tell apart by itself. */
  follow(workspaceId: string, follower: Follower): () => void {
    const followed = this.#followed.get(workspaceId) ?? { throughSeq: undefined, followers: new Set() };
    this.#followed.set(workspaceId, followed);
    followed.followers.add(follower);
    this.#lookIn(LOOK_EVERY_MS);
    return () => {
      followed.followers.delete(follower);
      if (followed.followers.size === 0 && this.#followed.get(workspaceId) === followed) this.#followed.delete(workspaceId);
    };
  }

  /** Those after a number, for who was not told of them; the number up to which that is all, and whether more are there. */
  async read(workspaceId: string, selection: EventSelection): Promise<{ joined: string; throughSeq: number; isMore: boolean }> {
    return runInLane(`workspace:${workspaceId}`, async () => {
      // First: what has a number up to this one can be read from now on.
      const head = await lastSeqOf(this.#db, workspaceId);
      const rows = await readEvents(this.#db, workspaceId, selection, READ_AT_ONCE);
      const isMore = rows.length === READ_AT_ONCE;
      const lastSeq = rows.at(-1)?.seq ?? selection.afterSeq;
      const texts = await this.#textsOf(workspaceId, rows);
      return { joined: texts.join(''), throughSeq: isMore ? lastSeq : Math.max(head, lastSeq), isMore };
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Nobody follows anything: nothing is looked at. */
  #lookIn(ms: number): void {
    if (this.#isClosed || this.#timer || this.#looking || this.#followed.size === 0) return;
    this.#timer = runInServiceLane(() =>
      setTimeout(() => {
        this.#timer = undefined;
        this.#looking = this.#look();
      }, ms).unref(),
    );
  }

  async #look(): Promise<void> {
    let nextMs = LOOK_EVERY_MS;
    try {
      await this.#outbox.distribute();
      const ids = [...this.#followed.keys()];
      for (let start = 0; start < ids.length; start += ASKED_AT_ONCE) await this.#lookAt(ids.slice(start, start + ASKED_AT_ONCE));
    } catch (error) {
      this.#log.warn({ err: error }, 'events could not be read; those who follow them are told later');
      nextMs = AFTER_FAILURE_MS;
    }
    this.#looking = undefined;
    this.#lookIn(nextMs);
  }

  async #lookAt(workspaceIds: readonly string[]): Promise<void> {
    const heads = await lastSeqs(this.#db, workspaceIds);
    for (const workspaceId of workspaceIds) {
      const followed = this.#followed.get(workspaceId);
      const head = heads.get(workspaceId) ?? 0;
      if (!followed) continue;
      if (followed.throughSeq === undefined) {
        // What was there before the first look its followers read by themselves.
        followed.throughSeq = head;
        for (const follower of followed.followers) follower.receive({ sinceSeq: head, throughSeq: head, events: [], joined: '' });
      }
      if (head > followed.throughSeq) await runInLane(`workspace:${workspaceId}`, () => this.#tell(workspaceId, followed, head));
    }
  }

  async #tell(workspaceId: string, followed: Followed, head: number): Promise<void> {
    let sinceSeq = followed.throughSeq ?? head;
    for (let page = 0; page < MOST_PAGES && sinceSeq < head && followed.followers.size > 0 && !this.#isClosed; page++) {
      const rows = await readEvents(this.#db, workspaceId, { afterSeq: sinceSeq, types: undefined }, READ_AT_ONCE);
      const lastSeq = rows.at(-1)?.seq ?? sinceSeq;
      const throughSeq = rows.length === READ_AT_ONCE ? lastSeq : Math.max(head, lastSeq);
      const groups = [...Map.groupBy(followed.followers, ({ selection }) => keyOf(selection)).values()] as [Follower, ...Follower[]][];
      // What nobody asked for is not read further than this.
      const wanted = rows.filter((event) => groups.some(([{ selection }]) => isSelected(selection, event)));
      const texts = await this.#textsOf(workspaceId, wanted);
      const told = wanted.map((row, index) => ({ row, event: { seq: row.seq, text: texts[index] as string } }));
      for (const group of groups) {
        const events = told.filter(({ row }) => isSelected(group[0].selection, row)).map(({ event }) => event);
        const page = { sinceSeq, throughSeq, events, joined: events.map(({ text }) => text).join('') };
        for (const follower of group) if (followed.followers.has(follower)) follower.receive(page);
      }
      sinceSeq = throughSeq;
      followed.throughSeq = throughSeq;
    }
  }

  async #textsOf(workspaceId: string, rows: readonly EventRow[]): Promise<string[]> {
    if (rows.length === 0) return [];
    const events = await describeEvents(this.#db, { workspaceId, nowMs: this.#clock.nowMs() }, rows);
    return events.map((event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
}

/** Those who ask for the same are given the same text, from wherever they go on. */
function keyOf({ types, sessionId, agentIds }: EventSelection): string {
  return JSON.stringify([types, sessionId, agentIds]);
}
