import type { NewPrompt, Prompt, PromptChanges, PromptVersion, PromptVersionChanges } from '@commonplace/contract/prompts';
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
import { recordEvent, recordEvents } from '../outbox/outbox.ts';
import { measureReplaced } from '../quotas/store.ts';
import { lockWorkspace } from '../workspaces/store.ts';
import { promptHandleOf, type VersionSelector } from './rules.ts';
import {
  insertVersion,
  isVersion,
  ownColumns,
  type PromptPlace,
  promotedTo,
  promptColumns,
  type ReadVersion,
  selectVersion,
  storedPrompt,
  type VersionNumbers,
  type VersionPlace,
  type VersionRow,
  versionChange,
  versionOf,
} from './statements.ts';
import { variablesOf } from './templates.ts';

export type { ReadVersion };

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
  const place = { workspaceId, promptId: prompt.promptId };
  const versionId = newId();
  const created = db.batch([
    lockWorkspace(workspaceId),
    storedPrompt.insertInto('prompts', [prompt], {
      workspaceId,
      id: prompt.promptId,
      lastVersion: 1,
      latestVersion: 1,
    }),
    insertVersion(place, versionId, 1, fields, null, now),
    recordAudit(by, { workspaceId, action: 'prompt.create', resourceId: prompt.promptId, detail: { name: prompt.name } }, nowMs),
    recordEvents(
      [
        { workspaceId, type: 'prompt.created', subjectId: prompt.promptId },
        versionChange('prompt_version.created', { ...place, promptVersionId: versionId }, 1),
        ...(fields.production ? [promotedTo(place, 1, null)] : []),
      ],
      nowMs,
    ),
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
    recordEvent({ workspaceId, type: 'prompt.updated', subjectId: promptId }, nowMs),
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

/** As the API gives it, where the content is small enough to be looked through at once. */
export function describeSmallVersion(version: ReadVersion): PromptVersion {
  return { ...version, variables: variablesOf([version])[0] ?? [] };
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

type LockedPrompt = Pick<VersionNumbers, 'lastVersion' | 'productionVersion'>;

/** The prompt's row is the lock: numbers, `latest` and `production` are decided by one writer at a time. */
export async function lockPrompt(tx: Transaction, { workspaceId, promptId }: PromptPlace): Promise<LockedPrompt> {
  return tx.one(
    sql<LockedPrompt>`
      select last_version as "lastVersion", production_version as "productionVersion" from prompts
      where workspace_id = ${workspaceId} and id = ${promptId}${forUpdate}`.orElse(() => notFound('Prompt')),
  );
}

export async function removePrompt(tx: Transaction, by: Actor, { workspaceId, promptId }: PromptPlace, nowMs: number): Promise<void> {
  await detachPrompt(tx, workspaceId, promptId, nowMs);
  const { name, handle } = await tx.one(sql<Pick<Prompt, 'name' | 'handle'>>`
    delete from prompts where workspace_id = ${workspaceId} and id = ${promptId} returning name, handle`);
  await tx.run(recordAudit(by, { workspaceId, action: 'prompt.delete', resourceId: promptId }, nowMs));
  const data = { prompt: { id: promptId, name, handle } };
  await tx.run(recordEvent({ workspaceId, type: 'prompt.deleted', subjectId: promptId, data }, nowMs));
}

function withoutDuplicate<T>(write: Promise<T>): Promise<T> {
  return onDuplicate(write, 'prompts', 'handle', () => conflict('A prompt with this name exists already'));
}
