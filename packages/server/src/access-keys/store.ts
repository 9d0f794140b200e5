import type { AccessKey, CreatedAccessKey, NewAccessKey } from '@commonplace/contract/access-keys';
import type { Page } from '@commonplace/contract/wire';
import { lockAgent } from '../agents/store.ts';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { revokeCallers } from '../auth/revocations.ts';
import { hashSecret, hintOf, newSecret } from '../auth/secrets.ts';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { sql } from '../db/sql.ts';
import { invalid, notFound } from '../errors.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { lockWorkspace } from '../workspaces/store.ts';

/** Null where the key has no limit; an answer leaves it out then. */
type AccessKeyRow = Omit<AccessKey, 'agentIds'> & { agentIds: string[] | null };

const columns = shape<AccessKeyRow>({
  id: 'text',
  workspaceId: 'text',
  name: 'text',
  permissions: 'json',
  agentIds: 'json',
  hint: 'text',
  createdBy: 'text',
  expiresAt: 'time',
  lastUsedAt: 'time',
  createdAt: 'time',
  updatedAt: 'time',
});
const stored = columns.with<{ hash: string }>({ hash: 'text' });

export async function createAccessKey(
  db: Queryable,
  by: Actor,
  workspaceId: string,
  changes: NewAccessKey,
  nowMs: number,
): Promise<CreatedAccessKey> {
  const now = timestamp(nowMs);
  const expiresAt = changes.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= now) throw invalid('expiresAt', 'Expires at must be in the future');
  const key = newSecret('accessKey');
  const accessKey: AccessKey = {
    id: newId(),
    workspaceId,
    name: changes.name,
    permissions: changes.permissions,
    ...(changes.agentIds && { agentIds: changes.agentIds }),
    hint: hintOf(key),
    createdBy: by.id,
    expiresAt,
    lastUsedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await db.batch([
    lockWorkspace(workspaceId),
    ...(changes.agentIds ?? []).map((agentId) => lockAgent(workspaceId, agentId)),
    stored.insertInto('access_keys', [{ ...accessKey, agentIds: changes.agentIds ?? null, hash: hashSecret(key) }]),
    recordAudit(
      by,
      {
        workspaceId,
        action: 'access_key.create',
        resourceId: accessKey.id,
        detail: {
          name: accessKey.name,
          permissions: accessKey.permissions,
          expiresAt,
          ...(accessKey.agentIds && { agentIds: accessKey.agentIds }),
        },
      },
      nowMs,
    ),
    recordEvent({ workspaceId, type: 'key.created', subjectId: accessKey.id }, nowMs),
  ]);
  return { ...accessKey, key };
}

export async function listAccessKeys(db: Queryable, workspaceId: string, page: Page): Promise<Listed<AccessKey>> {
  const keys = sql`from access_keys where workspace_id = ${workspaceId}`;
  const { rows, meta } = await listPage(db, page, {
    rows: sql<AccessKeyRow>`select ${columns} ${keys}`,
    counted: keys,
    key: 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: [],
  });
  return { rows: rows.map(shown), meta };
}

function shown({ agentIds, ...accessKey }: AccessKeyRow): AccessKey {
  return agentIds ? { ...accessKey, agentIds } : accessKey;
}

export async function requireAccessKey(db: Queryable, workspaceId: string, keyId: string): Promise<AccessKey> {
  const accessKey = await db.maybeOne(
    sql<AccessKeyRow>`select ${columns} from access_keys where workspace_id = ${workspaceId} and id = ${keyId}`,
  );
  if (!accessKey) throw notFound('Access key');
  return shown(accessKey);
}

export async function deleteAccessKey(db: Transactable, by: Actor, workspaceId: string, keyId: string, nowMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    // First, so that it counts also where it was deleted before and is now not found.
    await tx.run(revokeCallers({ credentialId: keyId }));
    const { name } = await tx.one(
      sql<{ name: string }>`
        delete from access_keys where workspace_id = ${workspaceId} and id = ${keyId} returning name`.orElse(() => notFound('Access key')),
    );
    await tx.batch([
      recordAudit(by, { workspaceId, action: 'access_key.delete', resourceId: keyId }, nowMs),
      // Nothing else tells whose key it was.
      recordEvent({ workspaceId, type: 'key.revoked', subjectId: keyId, data: { key: { id: keyId, name } } }, nowMs),
    ]);
  });
}
