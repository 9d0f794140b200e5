/** Versions of prompts: made, changed and deleted, and which of them is in production. */
import type { NewPromptVersion, PromptVersionChanges } from '@commonplace/contract/prompts';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { timestamp } from '../clock.ts';
import type { Transactable, Transaction } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import { recordEvent, recordEvents } from '../outbox/outbox.ts';
import { commitHashOf } from './rules.ts';
import {
  insertVersion,
  isVersion,
  ownLabels,
  type PromptPlace,
  promotedTo,
  type ReadVersion,
  type StoredVersion,
  selectVersion,
  storedPrompt,
  storedVersion,
  takenFrom,
  type VersionNumbers,
  type VersionPlace,
  type VersionRow,
  versionChange,
  versionColumns,
  versionOf,
} from './statements.ts';
import { lockPrompt, removePrompt } from './store.ts';

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
    const { lastVersion, productionVersion } = await lockPrompt(tx, place);
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
    const made = versionChange('prompt_version.created', { ...place, promptVersionId: id }, version);
    await tx.run(recordEvents([made, ...(fields.production ? [promotedTo(place, version, productionVersion)] : [])], nowMs));
    return versionOf(await tx.one(sql<VersionRow>`${selectVersion} where ${isVersion({ ...place, promptVersionId: id })}`));
  });
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
    await tx.run(recordEvent(versionChange('prompt_version.updated', place, before.version), nowMs));
    const isInProduction = held.productionVersion === before.version;
    if (production === true && !isInProduction) {
      await setOn(tx, place, { productionVersion: before.version });
      await tx.run(recordEvent(promotedTo(place, before.version, held.productionVersion), nowMs));
    }
    if (production === false && isInProduction) {
      await setOn(tx, place, { productionVersion: null });
      await tx.run(recordEvent(takenFrom(place, before.version), nowMs));
    }
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
    await tx.run(recordEvent(versionChange('prompt_version.deleted', place, deleted.version), nowMs));
    const isInProduction = held.productionVersion === deleted.version;
    if (isInProduction) await setOn(tx, place, { productionVersion: null });
    if (!(await moveLatest(tx, place))) await removePrompt(tx, by, place, nowMs);
    else if (isInProduction) await tx.run(recordEvent(takenFrom(place, deleted.version), nowMs));
  });
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
