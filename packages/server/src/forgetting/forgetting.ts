/**
 * Forgets sessions for good. First they go, so that nothing is written to them any more, then what they left in every table, index and queue,
 * in steps that let other writers in between. What stops on the way is noted in `deleted_sessions`: the same call again, or the job that each
 * deletion leaves behind, finishes it.
 */
import type { Receipt } from '@commonplace/contract/receipts';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { type Clock, timestamp } from '../clock.ts';
import type { ForgottenSubject } from '../context.ts';
import type { Database } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { list, type Sql, sql } from '../db/sql.ts';
import { FIRST_WORKSPACE_ID } from '../db/waiting-workspaces.ts';
import { AppError } from '../errors.ts';
import { LaneLimiter } from '../lanes/lane-limiter.ts';
import { countAssertions, findSaying } from '../memories/store/assertions.ts';
import { forgetSession } from '../memories/store/forgetting.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { tellForgottenSessions } from '../search/forgotten-sessions.ts';
import type { SegmentClearing } from '../search/segments/clearing.ts';
import { type DeletedSession, deleteSessionsAtOnce, listDeletedSessions } from '../sessions/store/deleted.ts';
import { purgeSessionRows, purgeSmallSessions } from '../sessions/store/purging.ts';
import { labelledSessions, selectedSessions } from '../sessions/store/selected.ts';
import { Forgotten } from './forgotten.ts';
import { insertReceipt } from './store.ts';

const SESSIONS_AT_ONCE = 50;
/** Messages and memories of small sessions. */
const ITEMS_AT_ONCE = 500;
const NAMED_AT_ONCE = 1_000;
/** Sessions made this long after the call are not meant, whatever their node's clock says: someone who makes them without end does not hold it up. */
const MEANT_UNTIL_MS = 60_000;

/** Who forgets by age. */
export const SERVICE: Actor = { type: 'system', id: 'service', name: 'Retention', address: 'local', requestId: 'retention' };

export class Forgetter {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #clearing: SegmentClearing;
  /** One at a time in a workspace: two that ask for the same do not stand in each other's way. */
  readonly #turns = new LaneLimiter({ inFlightOfLane: 1 });
  readonly #stopping = new AbortController();

  constructor(db: Database, clock: Clock, clearing: SegmentClearing) {
    this.#db = db;
    this.#clock = clock;
    this.#clearing = clearing;
  }

  /** When it resolves, nothing is left of any session that had these labels when it was called. */
  forgetSubject(subject: ForgottenSubject, by: Actor): Promise<Receipt> {
    const { workspaceId, agentId, labels } = subject;
    return this.#turns.run(workspaceId, async () => {
      const signal = this.#stopping.signal;
      const labelled =
        agentId === undefined
          ? labelledSessions(workspaceId, labels)
          : selectedSessions({ workspaceId, agentId }, { externalId: undefined, labels });
      const madeBefore = timestamp(this.#clock.nowMs() + MEANT_UNTIL_MS);
      const isMeant = (session: DeletedSession) => hasLabels(session, labels) && (agentId === undefined || session.agentId === agentId);
      const isOfSubject = sql`id in (${labelled}) and created_at < ${madeBefore}`;
      while (await this.#deleteSome(workspaceId, isOfSubject)) signal.throwIfAborted();
      const forgotten = await this.#purge(workspaceId, isMeant, signal);
      return this.#finish(subject, forgotten, by, signal);
    });
  }

  /** Some of those of an agent that nothing was written to since; how many. With a receipt, where there were any. */
  forgetInactive(place: { workspaceId: string; agentId: string }, since: string, most: number, signal: AbortSignal): Promise<number> {
    const { workspaceId, agentId } = place;
    return this.#turns.run(workspaceId, async () => {
      const own = new Set<string>();
      const isOld = sql`agent_id = ${agentId} and last_activity_at < ${since}`;
      while (own.size < most) {
        signal.throwIfAborted();
        const some = await this.#deleteSome(workspaceId, isOld);
        if (!some) break;
        for (const id of some) own.add(id);
      }
      if (own.size === 0) return 0;
      const forgotten = await this.#purge(workspaceId, ({ sessionId }) => own.has(sessionId), signal);
      await this.#finish({ workspaceId, agentId, labels: {} }, forgotten, SERVICE, signal);
      return own.size;
    });
  }

  /** What is under way ends where it is: the same call again finishes it. */
  stop(): void {
    this.#stopping.abort(new AppError('unavailable', 'The service is stopping. Ask again.', { retryAfterSeconds: 5 }));
  }

  /** The ids of those that went; undefined where there is none any more. */
  async #deleteSome(workspaceId: string, condition: Sql): Promise<string[] | undefined> {
    const found = await this.#db.query(sql<{ id: string }>`
      select id from sessions where workspace_id = ${workspaceId} and ${condition} limit ${SESSIONS_AT_ONCE}`);
    if (found.length === 0) return undefined;
    const ids = found.map(({ id }) => id);
    const nowMs = this.#clock.nowMs();
    return this.#db.transaction((tx) => deleteSessionsAtOnce(tx, workspaceId, ids, condition, nowMs));
  }

  /** In the order of their ids: so their names are sorted. */
  async #purge(workspaceId: string, isMeant: (session: DeletedSession) => boolean, signal: AbortSignal): Promise<Forgotten> {
    const forgotten = new Forgotten();
    let afterId = FIRST_WORKSPACE_ID;
    for (;;) {
      const page = await listDeletedSessions(this.#db, workspaceId, afterId, SESSIONS_AT_ONCE);
      for (const group of groupSmall(page.filter(isMeant))) {
        signal.throwIfAborted();
        await this.#purgeGroup(workspaceId, group, forgotten, signal);
      }
      if (page.length < SESSIONS_AT_ONCE) return forgotten;
      afterId = page.at(-1)?.sessionId as string;
    }
  }

  /** One session, or several that have little. */
  async #purgeGroup(workspaceId: string, group: readonly DeletedSession[], forgotten: Forgotten, signal: AbortSignal): Promise<void> {
    const ids = group.map(({ sessionId }) => sessionId);
    for (const id of ids) await this.#nameAll(workspaceId, id, forgotten);
    // What they said of a person goes from other sessions too.
    for (const sessionId of await findSaying(this.#db, workspaceId, ids)) {
      const place = { workspaceId, sessionId };
      forgotten.add({ statements: await countAssertions(this.#db, place, undefined, Number.MAX_SAFE_INTEGER) });
      while (await this.#db.transaction((tx) => forgetSession(tx, place, this.#clock.nowMs()))) signal.throwIfAborted();
    }
    const [first, ...others] = ids as [string, ...string[]];
    const purged =
      others.length > 0
        ? purgeSmallSessions(this.#db, workspaceId, ids, signal)
        : purgeSessionRows(this.#db, { workspaceId, sessionId: first }, true, signal);
    forgotten.add(await purged);
    await this.#db.run(sql`
      delete from jobs where workspace_id = ${workspaceId} and kind in ${list(SESSION_JOBS)} and key in ${list(ids.flatMap((id) => jobKeysOf(workspaceId, id)))}`);
    await this.#db.batch([tellForgottenSessions(ids)]);
  }

  async #nameAll(workspaceId: string, sessionId: string, forgotten: Forgotten): Promise<void> {
    forgotten.name('sessions', sessionId);
    for (const table of ['memories', 'messages'] as const) {
      for await (const id of this.#idsOf(table, workspaceId, sessionId)) forgotten.name('sessions', sessionId, table, id);
    }
  }

  async *#idsOf(table: 'messages' | 'memories', workspaceId: string, sessionId: string): AsyncGenerator<string> {
    const from = table === 'messages' ? sql`messages` : sql`memories`;
    for (let afterId = FIRST_WORKSPACE_ID; ; ) {
      const ids: { id: string }[] = await this.#db.query(sql<{ id: string }>`
        select id from ${from} where workspace_id = ${workspaceId} and session_id = ${sessionId} and id > ${afterId}
        order by id limit ${NAMED_AT_ONCE}`);
      for (const { id } of ids) yield id;
      if (ids.length < NAMED_AT_ONCE) return;
      afterId = ids.at(-1)?.id as string;
    }
  }

  async #finish(subject: ForgottenSubject, forgotten: Forgotten, by: Actor, signal: AbortSignal): Promise<Receipt> {
    const { workspaceId, agentId, labels } = subject;
    await this.#clearing.clear(workspaceId, signal);
    const nowMs = this.#clock.nowMs();
    const receipt: Receipt = {
      id: newId(),
      workspaceId,
      ...(agentId !== undefined && { agentId }),
      labels: { ...labels },
      ...forgotten.summary(),
      at: timestamp(nowMs),
      by: by.id,
    };
    const detail = { ...(agentId !== undefined && { agentId }), counts: receipt.counts };
    await this.#db.batch([
      insertReceipt(receipt),
      recordAudit(by, { workspaceId, action: 'subject.forget', resourceId: receipt.id, detail }, nowMs),
      recordEvent({ workspaceId, type: 'subject.forgotten', subjectId: receipt.id, ...(agentId !== undefined && { agentId }) }, nowMs),
    ]);
    await this.#db.eraseDeleted();
    return receipt;
  }
}

/** Jobs whose key names a session. */
const SESSION_JOBS = ['purge-session', 'regenerate-memories', 'summarize-session', 'retry-texts'];
const jobKeysOf = (workspaceId: string, sessionId: string) => [
  sessionId,
  `${workspaceId} ${sessionId}`,
  `embed-texts ${sessionId}`,
  `extract-memories ${sessionId}`,
];

/** In their order: each large one by itself, and of the others as many as go in one step. */
function groupSmall(sessions: readonly DeletedSession[]): DeletedSession[][] {
  const groups: DeletedSession[][] = [];
  let left = 0;
  for (const session of sessions) {
    if (groups.length === 0 || session.items > left) {
      groups.push([]);
      left = ITEMS_AT_ONCE;
    }
    groups.at(-1)?.push(session);
    left -= session.items;
  }
  return groups;
}

function hasLabels(session: DeletedSession, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([key, value]) => Object.hasOwn(session.labels, key) && session.labels[key] === value);
}
