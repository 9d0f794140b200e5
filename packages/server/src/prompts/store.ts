import type { NewPrompt, NewPromptVersion, Prompt, PromptChanges, PromptVersionChanges } from '@commonplace/contract/prompts';
import type { Page } from '@commonplace/contract/wire';
import { detachPrompt } from '../agents/store.ts';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable, Transaction } from '../db/database.ts';
import { onDuplicate } from '../db/errors.ts';
import { newId } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { forUpdate, raw, sql } from '../db/sql.ts';
import { conflict, notFound } from '../errors.ts';
import { measureReplaced } from '../quotas/store.ts';
import { lockWorkspace } from '../workspaces/store.ts';
import { commitHashOf, promptHandleOf, type VersionSelector } from './rules.ts';
import {
  insertVersion,
  isVersion,
  ownColumns,
  ownLabels,
  type PromptPlace,
  promptColumns,
  type ReadVersion,
  type StoredVersion,
  selectVersion,
  storedPrompt,
  storedVersion,
  type VersionNumbers,
  type VersionPlace,
  type VersionRow,
  versionColumns,
  versionOf,
} from './statements.ts';

export async function createPrompt(db: Transactable, by: Actor, workspaceId: string, fields: NewPrompt, nowMs: number): Promise<Prompt> {
  const now = timestamp(nowMs);
  const prompt: Prompt = {
    promptId: newId(),
    name: fields.name,
    handle: promptHandleOf(fields.name),
    description: fields.description ?? '',
    versionCount: 1,
    productionVersion: fields.production ? 1 : null,
    createdAt: now,
    updatedAt: now,
  };
  const created = db.batch([
    lockWorkspace(workspaceId),
    storedPrompt.insertInto('prompts', [prompt], {
      workspaceId,
      id: prompt.promptId,
      lastVersion: 1,
      latestVersion: 1,
    }),
    insertVersion({ workspaceId, promptId: prompt.promptId }, newId(), 1, fields, null, now),
    recordAudit(by, { workspaceId, action: 'prompt.create', resourceId: prompt.promptId, detail: { name: prompt.name } }, nowMs),
  ]);
  await withoutDuplicate(created);
  return prompt;
}

/** By handle. */
export async function listPrompts(db: Queryable, workspaceId: string, page: Page): Promise<Listed<Prompt>> {
  return listPage(db, page, {
    rows: sql<Prompt>`select ${promptColumns(workspaceId)} from prompts p where p.workspace_id = ${workspaceId}`,
    counted: sql`from prompts where workspace_id = ${workspaceId}`,
    key: 'p.handle',
    keyKind: 'text',
    order: 'asc',
    keyOf: ({ handle }) => handle,
    longColumns: [],
  });
}

export async function requirePrompt(db: Queryable, { workspaceId, promptId }: PromptPlace): Promise<Prompt> {
  const prompt = await db.maybeOne(
    sql<Prompt>`select ${promptColumns(workspaceId)} from prompts p where p.workspace_id = ${workspaceId} and p.id = ${promptId}`,
  );
  if (!prompt) throw notFound('Prompt');
  return prompt;
}

/** What a change takes the place of. */
export function measurePrompt(db: Queryable, { workspaceId, promptId }: PromptPlace, changes: PromptChanges): Promise<number> {
  const from = sql`from prompts where workspace_id = ${workspaceId} and id = ${promptId}`;
  return measureReplaced(db, changes, ['name', 'description'], from);
}

export function measurePromptVersion(db: Queryable, place: VersionPlace, changes: PromptVersionChanges): Promise<number> {
  const { workspaceId, promptId, promptVersionId } = place;
  const from = sql`from prompt_versions where workspace_id = ${workspaceId} and prompt_id = ${promptId} and id = ${promptVersionId}`;
  return measureReplaced(db, changes, ['type', 'content', 'config', 'labels', 'meta', 'commit_message', 'status'], from);
}

export async function updatePrompt(
  db: Transactable,
  by: Actor,
  place: PromptPlace,
  changes: PromptChanges,
  nowMs: number,
): Promise<Prompt> {
  const { workspaceId, promptId } = place;
  const set = ownColumns.assignments({
    ...changes,
    handle: changes.name === undefined ? undefined : promptHandleOf(changes.name),
    description: changes.description === null ? '' : changes.description,
    updatedAt: timestamp(nowMs),
  });
  const updated = db.batch([
    sql`update prompts set ${set} where workspace_id = ${workspaceId} and id = ${promptId}`.orElse(() => notFound('Prompt')),
    recordAudit(by, { workspaceId, action: 'prompt.update', resourceId: promptId, detail: changes }, nowMs),
    sql<Prompt>`select ${promptColumns(workspaceId)} from prompts p where p.workspace_id = ${workspaceId} and p.id = ${promptId}`.orElse(
      () => notFound('Prompt'),
    ),
  ]);
  const [, , [prompt]] = await withoutDuplicate(updated);
  return prompt;
}

export async function deletePrompt(db: Transactable, by: Actor, place: PromptPlace, nowMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPrompt(tx, place);
    await removePrompt(tx, by, place, nowMs);
  });
}

export async function createPromptVersion(
  db: Transactable,
  by: Actor,
  place: PromptPlace,
  fields: NewPromptVersion,
  nowMs: number,
): Promise<ReadVersion> {
  const { workspaceId, promptId } = place;
  const now = timestamp(nowMs);
  return db.transaction(async (tx) => {
    const { lastVersion } = await lockPrompt(tx, place);
    const version = lastVersion + 1;
    const parent = await tx.maybeOne(sql<{ hash: string }>`
      select commit_hash as hash from prompt_versions where workspace_id = ${workspaceId} and prompt_id = ${promptId} order by version desc limit 1`);
    const id = newId();
    await tx.run(insertVersion(place, id, version, fields, parent?.hash ?? null, now));
    await tx.run(sql`
      update prompts set ${storedPrompt.assignments({
        lastVersion: version,
        latestVersion: version,
        productionVersion: fields.production ? version : undefined,
        updatedAt: now,
      })} where workspace_id = ${workspaceId} and id = ${promptId}`);
    await tx.run(recordAudit(by, { workspaceId, action: 'prompt_version.create', resourceId: id, detail: { promptId, version } }, nowMs));
    return versionOf(await tx.one(sql<VersionRow>`${selectVersion} where ${isVersion({ ...place, promptVersionId: id })}`));
  });
}

/** Highest number first. */
export async function listPromptVersions(db: Queryable, place: PromptPlace, page: Page): Promise<Listed<ReadVersion>> {
  await requirePrompt(db, place);
  const { rows, meta } = await listPage(db, page, {
    rows: sql<VersionRow>`${selectVersion} where v.workspace_id = ${place.workspaceId} and v.prompt_id = ${place.promptId}`,
    counted: sql`from prompt_versions v where v.workspace_id = ${place.workspaceId} and v.prompt_id = ${place.promptId}`,
    key: 'v.version',
    keyKind: 'number',
    order: 'desc',
    keyOf: ({ version }) => version,
    // The content once more for the names of its variables.
    longColumns: ['v.content', 'v.content', 'v.config', 'v.meta'],
  });
  return { rows: rows.map(versionOf), meta };
}

export async function requirePromptVersion(db: Queryable, place: VersionPlace): Promise<ReadVersion> {
  const version = await findPromptVersion(db, place);
  if (!version) throw notFound('Prompt version');
  return version;
}

export async function findPromptVersion(db: Queryable, place: VersionPlace): Promise<ReadVersion | undefined> {
  const version = await db.maybeOne(sql<VersionRow>`${selectVersion} where ${isVersion(place)}`);
  return version && versionOf(version);
}

/** By the prompt's handle or name, the handle first. Archived versions are never the latest. */
export async function requireNamedVersion(
  db: Queryable,
  workspaceId: string,
  nameOrHandle: string,
  selector: VersionSelector,
): Promise<ReadVersion> {
  const prompt = await db.maybeOne(sql<{ id: string }>`
    select id from prompts where workspace_id = ${workspaceId} and (handle = ${nameOrHandle} or name = ${nameOrHandle})
    order by case when handle = ${nameOrHandle} then 0 else 1 end, id limit 1`);
  if (!prompt) throw notFound('Prompt');
  const version = await findSelectedVersion(db, { workspaceId, promptId: prompt.id }, selector);
  if (!version) throw notFound('Prompt version');
  return version;
}

/** Nothing where the prompt has no such version, or is gone. */
export async function findSelectedVersion(
  db: Queryable,
  { workspaceId, promptId }: PromptPlace,
  selector: VersionSelector,
): Promise<ReadVersion | undefined> {
  const number = typeof selector === 'number' ? sql`${selector}` : raw(selector === 'latest' ? 'p.latest_version' : 'p.production_version');
  const version = await db.maybeOne(sql<VersionRow>`
    ${selectVersion} where v.workspace_id = ${workspaceId} and v.prompt_id = ${promptId} and v.version = ${number}`);
  return version && !(selector === 'latest' && version.status === 'archived') ? versionOf(version) : undefined;
}

export async function updatePromptVersion(
  db: Transactable,
  by: Actor,
  place: VersionPlace,
  changes: PromptVersionChanges,
  nowMs: number,
): Promise<ReadVersion> {
  const { workspaceId, promptId, promptVersionId } = place;
  return db.transaction(async (tx) => {
    const held = await lockPrompt(tx, place);
    const before = await tx.one(
      sql<StoredVersion & { parentHash: string | null }>`
        select ${storedVersion.of('v')} from prompt_versions v where ${isVersion(place)}`.orElse(() => notFound('Prompt version')),
    );
    const type = changes.type ?? before.type;
    const content = changes.content ?? before.content;
    const config = changes.config === undefined ? before.config : (changes.config ?? {});
    // The flag stands with the prompt.
    const { production, ...ownChanges } = changes;
    await tx.run(sql`
      update prompt_versions set ${versionColumns.assignments({
        ...ownChanges,
        type,
        content,
        config,
        commitHash: commitHashOf(type, content, config, before.parentHash),
        labels: changes.labels === undefined ? undefined : ownLabels(changes.labels ?? []),
        updatedAt: timestamp(nowMs),
      })} where workspace_id = ${workspaceId} and prompt_id = ${promptId} and id = ${promptVersionId}`);
    if (production === true) await setOn(tx, place, { productionVersion: before.version });
    if (production === false && held.productionVersion === before.version) await setOn(tx, place, { productionVersion: null });
    if (changes.status !== undefined) await moveLatest(tx, place);
    const detail = { promptId, version: before.version, fields: Object.keys(changes) };
    await tx.run(recordAudit(by, { workspaceId, action: 'prompt_version.update', resourceId: promptVersionId, detail }, nowMs));
    return versionOf(await tx.one(sql<VersionRow>`${selectVersion} where ${isVersion(place)}`));
  });
}

/** Deleting the last version deletes the prompt. */
export async function deletePromptVersion(db: Transactable, by: Actor, place: VersionPlace, nowMs: number): Promise<void> {
  const { workspaceId, promptId, promptVersionId } = place;
  await db.transaction(async (tx) => {
    const held = await lockPrompt(tx, place);
    const deleted = await tx.one(
      sql<{ version: number }>`
        delete from prompt_versions where workspace_id = ${workspaceId} and prompt_id = ${promptId} and id = ${promptVersionId} returning version`.orElse(
        () => notFound('Prompt version'),
      ),
    );
    const detail = { promptId, version: deleted.version };
    await tx.run(recordAudit(by, { workspaceId, action: 'prompt_version.delete', resourceId: promptVersionId, detail }, nowMs));
    if (held.productionVersion === deleted.version) await setOn(tx, place, { productionVersion: null });
    if (!(await moveLatest(tx, place))) await removePrompt(tx, by, place, nowMs);
  });
}

type LockedPrompt = Pick<VersionNumbers, 'lastVersion' | 'productionVersion'>;

/** The prompt's row is the lock: numbers, `latest` and `production` are decided by one writer at a time. */
async function lockPrompt(tx: Transaction, { workspaceId, promptId }: PromptPlace): Promise<LockedPrompt> {
  return tx.one(
    sql<LockedPrompt>`
      select last_version as "lastVersion", production_version as "productionVersion" from prompts
      where workspace_id = ${workspaceId} and id = ${promptId}${forUpdate}`.orElse(() => notFound('Prompt')),
  );
}

async function setOn(tx: Transaction, { workspaceId, promptId }: PromptPlace, numbers: Partial<VersionNumbers>): Promise<void> {
  await tx.run(sql`update prompts set ${storedPrompt.assignments(numbers)} where workspace_id = ${workspaceId} and id = ${promptId}`);
}

/** To the highest version that is active, else to the highest; false when there is none. */
async function moveLatest(tx: Transaction, place: PromptPlace): Promise<boolean> {
  const latest = await tx.maybeOne(sql<{ version: number }>`
    select version from prompt_versions where workspace_id = ${place.workspaceId} and prompt_id = ${place.promptId}
    order by case when status = 'active' then 0 else 1 end, version desc limit 1`);
  await setOn(tx, place, { latestVersion: latest?.version ?? null });
  return latest !== undefined;
}

async function removePrompt(tx: Transaction, by: Actor, { workspaceId, promptId }: PromptPlace, nowMs: number): Promise<void> {
  await detachPrompt(tx, workspaceId, promptId, nowMs);
  await tx.run(sql`delete from prompts where workspace_id = ${workspaceId} and id = ${promptId}`);
  await tx.run(recordAudit(by, { workspaceId, action: 'prompt.delete', resourceId: promptId }, nowMs));
}

function withoutDuplicate<T>(write: Promise<T>): Promise<T> {
  return onDuplicate(write, 'prompts', 'handle', () => conflict('A prompt with this name exists already'));
}
