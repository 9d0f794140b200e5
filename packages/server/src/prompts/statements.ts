/** What the reads and writes of prompts and of their versions are made of. */
import type { NewPromptVersion, Prompt, PromptVersion } from '@commonplace/contract/prompts';
import { shape } from '../db/shape.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Change } from '../outbox/outbox.ts';
import { commitHashOf } from './rules.ts';

export interface PromptPlace {
  readonly workspaceId: string;
  readonly promptId: string;
}

export interface VersionPlace extends PromptPlace {
  readonly promptVersionId: string;
}

export const ownColumns = shape<Omit<Prompt, 'promptId' | 'versionCount' | 'productionVersion'>>({
  name: 'text',
  handle: 'text',
  description: 'text',
  createdAt: 'time',
  updatedAt: 'time',
});
export const promptColumns = (workspaceId: string) => sql<Prompt>`p.id as "promptId", ${ownColumns.of('p')},
  (select count(*) from prompt_versions c where c.workspace_id = ${workspaceId} and c.prompt_id = p.id) as "versionCount",
  p.production_version as "productionVersion"`;

/** Which versions a prompt is at. */
export interface VersionNumbers {
  /** Of all that ever were. */
  lastVersion: number;
  latestVersion: number | null;
  productionVersion: number | null;
}
export const storedPrompt = ownColumns.with<VersionNumbers & { workspaceId: string; id: string }>({
  workspaceId: 'text',
  id: 'text',
  lastVersion: 'integer',
  latestVersion: 'integer',
  productionVersion: 'integer',
});

export type StoredVersion = Omit<PromptVersion, 'name' | 'handle' | 'description' | 'production' | 'variables'>;
/** The names in its content are read from it on the way out. */
export type ReadVersion = Omit<PromptVersion, 'variables'>;
export type VersionRow = ReadVersion & { isLatest: boolean };

export const versionColumns = shape<StoredVersion>({
  id: 'text',
  promptId: 'text',
  version: 'integer',
  type: 'text',
  content: 'text',
  commitHash: 'text',
  status: 'text',
  config: 'json',
  labels: 'json',
  commitMessage: 'text',
  meta: 'text',
  createdAt: 'time',
  updatedAt: 'time',
});
export const storedVersion = versionColumns.with<{ workspaceId: string; parentHash: string | null }>({
  workspaceId: 'text',
  parentHash: 'text',
});

export const selectVersion = sql<VersionRow>`
  select ${versionColumns.of('v')}, p.name, p.handle, p.description,
    coalesce(p.production_version = v.version, false) as production, coalesce(p.latest_version = v.version, false) as "isLatest"
  from prompt_versions v join prompts p on p.workspace_id = v.workspace_id and p.id = v.prompt_id`;

export function insertVersion(
  place: PromptPlace,
  id: string,
  version: number,
  fields: NewPromptVersion,
  parentHash: string | null,
  now: string,
): Sql {
  const { workspaceId, promptId } = place;
  const { type, content, commitMessage = null, meta = null } = fields;
  const config = fields.config ?? {};
  return storedVersion.insertInto('prompt_versions', [
    {
      id,
      workspaceId,
      promptId,
      version,
      type,
      content,
      commitHash: commitHashOf(type, content, config, parentHash),
      parentHash,
      status: 'active',
      config,
      labels: [],
      commitMessage,
      meta,
      createdAt: now,
      updatedAt: now,
    },
  ]);
}

export function isVersion({ workspaceId, promptId, promptVersionId }: VersionPlace): Sql {
  return sql`v.workspace_id = ${workspaceId} and v.prompt_id = ${promptId} and v.id = ${promptVersionId}`;
}

/** `latest` is the service's to give. */
export function ownLabels(labels: readonly string[]): string[] {
  return [...new Set(labels)].filter((label) => label !== 'latest');
}

export function versionOf({ isLatest, ...row }: VersionRow): ReadVersion {
  return {
    ...row,
    production: Boolean(row.production),
    labels: isLatest ? ['latest', ...row.labels] : row.labels,
  };
}

/** What happened, as events say it. */
export function versionChange(
  type: 'prompt_version.created' | 'prompt_version.updated' | 'prompt_version.deleted',
  { workspaceId, promptId, promptVersionId }: VersionPlace,
  version: number,
): Change {
  return { workspaceId, type, subjectId: promptVersionId, data: { promptId, version } };
}

export function promotedTo({ workspaceId, promptId }: PromptPlace, version: number, previousVersion: number | null): Change {
  return { workspaceId, type: 'prompt.promoted', subjectId: promptId, data: { version, previousVersion } };
}

/** No version is in production any more. */
export function takenFrom({ workspaceId, promptId }: PromptPlace, previousVersion: number): Change {
  return { workspaceId, type: 'prompt.updated', subjectId: promptId, data: { previousVersion } };
}
