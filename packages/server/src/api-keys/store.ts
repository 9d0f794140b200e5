import type { ApiKey, CreatedApiKey, NewApiKey } from '@commonplace/contract/api-keys';
import type { Page } from '@commonplace/contract/wire';
import { ACCOUNT_SCOPE, recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { revokeCallers } from '../auth/revocations.ts';
import { hashSecret, hintOf, newSecret } from '../auth/secrets.ts';
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { sql } from '../db/sql.ts';
import { invalid, notFound } from '../errors.ts';

const columns = shape<ApiKey>({
  id: 'text',
  userId: 'text',
  name: 'text',
  hint: 'text',
  expiresAt: 'time',
  lastUsedAt: 'time',
  createdAt: 'time',
  updatedAt: 'time',
});
const stored = columns.with<{ hash: string }>({ hash: 'text' });

/** `secret` is given only for the first account, whose key an administrator chose. */
export async function createApiKey(
  db: Queryable,
  by: Actor,
  userId: string,
  changes: NewApiKey,
  nowMs: number,
  secret = newSecret('apiKey'),
): Promise<CreatedApiKey> {
  const now = timestamp(nowMs);
  const expiresAt = changes.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= now) throw invalid('expiresAt', 'Expires at must be in the future');
  const apiKey: ApiKey = {
    id: newId(),
    userId,
    name: changes.name,
    hint: hintOf(secret),
    expiresAt,
    lastUsedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await db.batch([
    stored.insertInto('api_keys', [{ ...apiKey, hash: hashSecret(secret) }]),
    recordAudit(
      by,
      { workspaceId: ACCOUNT_SCOPE, action: 'api_key.create', resourceId: apiKey.id, detail: { name: apiKey.name, expiresAt } },
      nowMs,
    ),
  ]);
  return { ...apiKey, key: secret };
}

export async function listApiKeys(db: Queryable, userId: string, page: Page): Promise<Listed<ApiKey>> {
  const keys = sql`from api_keys where user_id = ${userId}`;
  return listPage(db, page, {
    rows: sql<ApiKey>`select ${columns} ${keys}`,
    counted: keys,
    key: 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: [],
  });
}

export async function requireApiKey(db: Queryable, userId: string, apiKeyId: string): Promise<ApiKey> {
  const apiKey = await db.maybeOne(sql<ApiKey>`select ${columns} from api_keys where user_id = ${userId} and id = ${apiKeyId}`);
  if (!apiKey) throw notFound('API key');
  return apiKey;
}

export async function deleteApiKey(db: Queryable, by: Actor, userId: string, apiKeyId: string, nowMs: number): Promise<void> {
  await db.batch([
    sql`delete from api_keys where user_id = ${userId} and id = ${apiKeyId}`.orElse(() => notFound('API key')),
    revokeCallers({ credentialId: apiKeyId }),
    recordAudit(by, { workspaceId: ACCOUNT_SCOPE, action: 'api_key.delete', resourceId: apiKeyId }, nowMs),
  ]);
}
