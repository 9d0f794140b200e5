/** A new embedding model: everything gets a vector of it in the background, and then the old vectors go. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Clock, timestamp } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { deleteInSteps } from '../db/deletion.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import { JobCancelled, type JobHandler } from '../jobs/job-handler.ts';
import { enqueue } from '../jobs/queue.ts';
import type { EmbeddedItems } from './embedded-items.ts';
import { dropSnapshotsOfOthers } from './segments/unneeded.ts';

/** The kind of its jobs. Earlier nodes call it 'switch-model': they would begin what only a node with the new model can end. */
export const MODEL_SWITCH = 'embed-anew';

const QUEUED_AT_ONCE = 500;
const WAIT_MS = 2_000;

/**
 * Notes the model at start; what it changes is a job's to carry through. Gives the model that was switched to before, and is complete, while
 * this one is not: its vectors serve meanwhile.
 */
export async function startModelSwitch(db: Database, model: string, nowMs: number): Promise<string | undefined> {
  const current = await modelState(db);
  if (current?.model !== model) {
    await db.batch([
      sql`update embedding_models set is_current = ${false}`,
      sql`insert into embedding_models (model, is_current, is_complete) values (${model}, ${true}, ${current === undefined})
          on conflict (model) do update set is_current = ${true}, is_complete = ${false}`,
      // A new database has nothing to embed again.
      ...(current ? [enqueueModelSwitch(model, nowMs)] : []),
    ]);
  }
  const former = await db.maybeOne(sql<{ model: string }>`
    select f.model from embedding_models f join embedding_models c on c.is_current = ${true} and c.is_complete = ${false}
    where f.is_complete = ${true} and f.is_current = ${false} limit 1`);
  return former?.model;
}

/** For whoever made vectors of another model meanwhile, not knowing of this one. */
export async function switchModelUnlessCurrent(db: Queryable, model: string, nowMs: number): Promise<void> {
  const current = await modelState(db);
  if (current && current.model !== model) await db.run(enqueueModelSwitch(current.model, nowMs));
}

function enqueueModelSwitch(model: string, nowMs: number): Sql {
  return enqueue({ kind: MODEL_SWITCH, key: model, workspaceId: null, payload: { model } }, nowMs);
}

export async function modelState(db: Queryable): Promise<{ model: string; isComplete: boolean } | undefined> {
  const row = await db.maybeOne(sql<{ model: string; isComplete: boolean | number }>`
    select model, is_complete as "isComplete" from embedding_models where is_current = ${true}`);
  return row && { model: row.model, isComplete: Boolean(row.isComplete) };
}

export interface ModelSwitch {
  /** The one that this node makes vectors with. */
  readonly ownModel: string;
  /** What is queued. */
  readonly items: readonly EmbeddedItems[];
  /** Sees to the chunks, which belong to the documents' own slice. */
  readonly embedDocuments: (signal: AbortSignal) => Promise<void>;
}

export function modelSwitchJob(db: Database, clock: Clock, { ownModel, items, embedDocuments }: ModelSwitch, log: Logger): JobHandler {
  return {
    maxAttempts: 1000,
    leaseMs: 60_000,
    concurrency: 1,
    backoff: { firstMs: 5_000, mostMs: 60_000 },
    run: async ({ payload }, signal) => {
      const { model } = payload as { model: string };
      if ((await modelState(db))?.model !== model) throw new JobCancelled('Another model was configured since');
      if (model !== ownModel) throw new Error('This node has another model: it is left to one that has the new one');
      for (const one of items) await queueAll(db, one, model, clock, signal);
      const queuedBy = timestamp(clock.nowMs());
      await embedDocuments(signal);
      while (await isSomeQueued(db, queuedBy)) await pause(signal);
      for (const table of ['vectors', 'refused_texts']) {
        const others = { table, key: 'workspace_id, kind, scope_id, item_id, model', condition: sql`model <> ${model}` };
        await deleteInSteps(db, others, signal);
      }
      await dropSnapshotsOfOthers(db, model, log, signal);
      await db.batch([
        sql`update embedding_models set is_complete = ${true} where model = ${model}`,
        sql`delete from embedding_models where is_current = ${false}`,
      ]);
    },
  };
}

interface Place {
  workspaceId: string;
  scopeId: string;
  itemId: string;
}

/** Goes through a table once, in the order of its key. */
async function queueAll(
  db: Database,
  { table, kind, scopeColumn }: EmbeddedItems,
  model: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const scope = raw(`i.${scopeColumn}`);
  let last: Place | undefined;
  for (;;) {
    signal.throwIfAborted();
    const after = last ? sql`(i.workspace_id, ${scope}, i.id) > (${last.workspaceId}, ${last.scopeId}, ${last.itemId})` : sql`1 = 1`;
    const items: (Place & { isMade: boolean | number })[] = await db.query(sql<Place & { isMade: boolean | number }>`
      select i.workspace_id as "workspaceId", ${scope} as "scopeId", i.id as "itemId", v.model is not null or r.model is not null as "isMade"
      from ${raw(table)} i left join vectors v on v.workspace_id = i.workspace_id and v.kind = ${kind} and v.scope_id = ${scope}
        and v.item_id = cast(i.id as text) and v.model = ${model}
      left join refused_texts r on r.workspace_id = i.workspace_id and r.kind = ${kind} and r.scope_id = ${scope}
        and r.item_id = cast(i.id as text) and r.model = ${model}
      where ${after} order by i.workspace_id, ${scope}, i.id limit ${QUEUED_AT_ONCE}`);
    const missing = items.filter(({ isMade }) => !isMade);
    if (missing.length > 0) {
      await db.batch(
        missing.map(
          ({ workspaceId, scopeId, itemId }) => sql`
            insert into embedding_queue (workspace_id, kind, scope_id, item_id, created_at)
            values (${workspaceId}, ${kind}, ${scopeId}, ${itemId}, ${timestamp(clock.nowMs())})
            on conflict (workspace_id, kind, scope_id, item_id) do nothing`,
        ),
      );
    }
    last = items.at(-1);
    if (items.length < QUEUED_AT_ONCE) return;
  }
}

/** What comes later does not count: on a busy service something always waits. */
async function isSomeQueued(db: Database, queuedBy: string): Promise<boolean> {
  return (await db.maybeOne(sql`select item_id from embedding_queue where created_at <= ${queuedBy} limit 1`)) !== undefined;
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined);
  signal.throwIfAborted();
}
