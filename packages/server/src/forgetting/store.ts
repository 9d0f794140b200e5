import type { Receipt } from '@commonplace/contract/receipts';
import type { Page } from '@commonplace/contract/wire';
import type { Queryable } from '../db/database.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { type Sql, sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';

interface ReceiptRow extends Omit<Receipt, 'agentId' | 'at' | 'by'> {
  readonly agentId: string | null;
  readonly madeBy: string;
  readonly createdAt: string;
}

const columns = shape<ReceiptRow>({
  id: 'text',
  workspaceId: 'text',
  agentId: 'text',
  labels: 'json',
  counts: 'json',
  digest: 'text',
  madeBy: 'text',
  createdAt: 'time',
});

/** It stays when everything that it tells of is gone. */
export function insertReceipt({ agentId, at, by, ...receipt }: Receipt): Sql {
  return columns.insertInto('receipts', [{ ...receipt, agentId: agentId ?? null, madeBy: by, createdAt: at }]);
}

/** Newest first. */
export async function listReceipts(db: Queryable, workspaceId: string, page: Page): Promise<Listed<Receipt>> {
  const ofWorkspace = sql`from receipts where workspace_id = ${workspaceId}`;
  const { rows, meta } = await listPage(db, page, {
    rows: sql<ReceiptRow>`select ${columns} ${ofWorkspace}`,
    counted: ofWorkspace,
    key: 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: ['labels'],
  });
  return { rows: rows.map(receiptOf), meta };
}

export async function requireReceipt(db: Queryable, workspaceId: string, receiptId: string): Promise<Receipt> {
  const receipt = await db.maybeOne(
    sql<ReceiptRow>`select ${columns} from receipts where workspace_id = ${workspaceId} and id = ${receiptId}`,
  );
  if (!receipt) throw notFound('Receipt');
  return receiptOf(receipt);
}

function receiptOf({ agentId, madeBy, createdAt, ...receipt }: ReceiptRow): Receipt {
  return { ...receipt, ...(agentId !== null && { agentId }), at: createdAt, by: madeBy };
}
