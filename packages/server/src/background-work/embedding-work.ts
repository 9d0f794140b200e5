/** Sessions with messages and memories that need vectors, or were refused one. */
import type { JobStatus } from '@commonplace/contract/jobs';
import { asId, raw, type Sql, sql } from '../db/sql.ts';
import { retryTexts } from './retrying.ts';
import { isIn } from './running.ts';
import { presentSessions, type SessionSubject, subjectColumns, subjectOf } from './session-subject.ts';
import { type DescribedJob, isNone, orderOf, type Span, stepThrough, type Work, type WorkSource } from './work-source.ts';

const itemKinds = ['message', 'memory'] as const;

interface EmbeddingWork extends SessionSubject {
  readonly messagesFrom: string | null;
  readonly messagesTo: string | null;
  readonly memoriesFrom: string | null;
  readonly memoriesTo: string | null;
  readonly messageError: string | null;
  readonly memoryError: string | null;
}

export const embeddingWork: WorkSource = {
  kind: 'embed-texts',

  ids(work, status, span) {
    if (status === 'running') return undefined;
    const [messages, memories] = itemKinds.map((kind) => scopesOf(kind, work, status, span)) as [Sql, Sql];
    return sql<{ id: string }>`
      select id from (${messages}) of_messages union select id from (${memories}) of_memories
      order by id ${orderOf(status)} limit ${span.limit}`;
  },

  async describe(db, { workspaceId, model }, status, ids) {
    const isFailed = status === 'failed';
    const first = (column: string, kind: string, order: string) => sql`(
      select ${raw(`q.${column}`)} from ${raw(isFailed ? 'refused_texts' : 'embedding_queue')} q
      where q.workspace_id = ${asId(workspaceId)} and q.kind = ${kind} and q.scope_id = s.id ${isFailed ? sql`and q.model = ${model}` : sql``}
      order by q.item_id ${raw(order)} limit 1)`;
    const error = (kind: string) => (isFailed ? first('reason', kind, 'desc') : raw('null'));
    const found = await db.query(sql<EmbeddingWork>`
      select ${subjectColumns}, ${first('created_at', 'message', 'asc')} as "messagesFrom", ${first('created_at', 'message', 'desc')} as "messagesTo",
        ${first('created_at', 'memory', 'asc')} as "memoriesFrom", ${first('created_at', 'memory', 'desc')} as "memoriesTo",
        ${error('message')} as "messageError", ${error('memory')} as "memoryError"
      from ${presentSessions} where s.workspace_id = ${workspaceId} and ${isIn('s.id', ids)}`);
    return found.flatMap((row) => embeddingJob(row, isFailed));
  },

  retry: (db, _by, { workspaceId, model }, { id }, nowMs) =>
    retryTexts(db, model, { kind: 'embed-texts', workspaceId, sessionId: id }, nowMs),
};

function scopesOf(kind: string, { workspaceId, model }: Work, status: JobStatus, span: Span): Sql {
  const ofKind = sql`q.workspace_id = ${workspaceId} and q.kind = ${kind}`;
  if (status === 'failed')
    return stepThrough(
      { table: raw('refused_texts q'), column: 'scope_id', condition: sql`${ofKind} and q.model = ${model}` },
      status,
      span,
    );
  const isRefused = (one: string) =>
    sql`from refused_texts r where r.workspace_id = ${workspaceId} and r.kind = ${one} and r.scope_id = w.id and r.model = ${model}`;
  const isMeant = sql`${isNone(isRefused('message'))} and ${isNone(isRefused('memory'))}`;
  return stepThrough({ table: raw('embedding_queue q'), column: 'scope_id', condition: ofKind, isMeant }, status, span);
}

/** A text that the model refuses is not tried again by itself. */
function embeddingJob(row: EmbeddingWork, isFailed: boolean): DescribedJob[] {
  const { messagesFrom, messagesTo, memoriesFrom, memoriesTo, messageError, memoryError } = row;
  const from = [messagesFrom, memoriesFrom].filter((time) => time !== null).sort();
  const to = [messagesTo, memoriesTo].filter((time) => time !== null).sort();
  const [createdAt] = from;
  const updatedAt = to.at(-1);
  if (createdAt === undefined || updatedAt === undefined) return [];
  const error = updatedAt === messagesTo ? messageError : memoryError;
  return [{ subject: subjectOf(row), attempts: isFailed ? 1 : 0, ...(error !== null && { error }), createdAt, updatedAt }];
}
