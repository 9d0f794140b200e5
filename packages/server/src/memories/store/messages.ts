/** Messages as extraction reads them: never more than some thousand characters of one, however long it is. */
import { KEY_BLOCK_BEGINS, LEFT_OUT, SHARE_AT_END } from '@commonplace/english/excerpt';
import type { Turn } from '@commonplace/english/extraction';
import type { SpokenMessage } from '@commonplace/english/summary';
import type { Queryable } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { join, list, raw, type Sql, sql } from '../../db/sql.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { SourceMessage } from '../extraction/extractor.ts';

export const MOST_CHARACTERS_READ = 16_000;
/** Of a long session the beginning and the end are summed up. */
const FIRST_SUMMED_UP = 20;
const LAST_SUMMED_UP = 150;
const MOST_CHARACTERS_SUMMED_UP = 4_000;

/** So many turns before a message are shown with it, and so much of each. */
const TURNS_BEFORE = 3;
const MOST_CHARACTERS_BEFORE = 2_000;
/** What is longer than this is no turn of a talk; its size is known without reading it. */
const MOST_BYTES_BEFORE = 32 * 1024;
/** Of messages: each asks for as many ids as turns are shown. */
const ASKED_AT_ONCE = 50;

const source = shape<Omit<SourceMessage, 'before'>>({ id: 'text', content: 'text', createdAt: 'time' });
const spoken = shape<SpokenMessage>({ id: 'text', role: 'text', content: 'text', createdAt: 'time' });

/** The same as `excerptOf`, where the message is: a megabyte of each is not carried here to be cut. */
export function excerptColumn(mostCharacters = MOST_CHARACTERS_READ): Sql {
  const atEnd = Math.floor(mostCharacters * SHARE_AT_END);
  return sql`case
    when length(m.content) <= ${mostCharacters} then m.content
    when m.content like ${`%${KEY_BLOCK_BEGINS}%`} then substr(m.content, 1, ${mostCharacters}) || ${LEFT_OUT}
    else substr(m.content, 1, ${mostCharacters - atEnd}) || ${LEFT_OUT} || substr(m.content, length(m.content) - ${atEnd - 1})
  end as content`;
}

/** The user's, oldest first, after one of them. */
export async function userMessages(db: Queryable, place: SessionPlace, after: string | undefined, limit: number): Promise<SourceMessage[]> {
  const { workspaceId, sessionId } = place;
  const messages = await db.query(sql<Omit<SourceMessage, 'before'>>`
    select ${source} from (
      select m.id, ${excerptColumn()}, m.created_at from messages m
      where m.workspace_id = ${workspaceId} and m.session_id = ${sessionId} and m.role = 'user'
      ${after === undefined ? sql`` : sql`and m.id > ${after}`} order by m.id limit ${limit}) w order by id`);
  return withTurnsBefore(db, place, messages);
}

const turn = shape<Turn>({ id: 'text', role: 'text', content: 'text' });

/** Each with what was said right before it in its session. */
export async function withTurnsBefore<Message extends { readonly id: string }>(
  db: Queryable,
  { workspaceId, sessionId }: SessionPlace,
  messages: readonly Message[],
): Promise<(Message & { readonly before: readonly Turn[] })[]> {
  const idsBefore = new Map<string, string[]>();
  for (let start = 0; start < messages.length; start += ASKED_AT_ONCE) {
    const ids = list(messages.slice(start, start + ASKED_AT_ONCE).map(({ id }) => id));
    const earlier = (steps: number) => sql`(
      select p.id from messages p where p.workspace_id = ${workspaceId} and p.session_id = ${sessionId} and p.id < m.id
      order by p.id desc limit 1 offset ${steps})`;
    const columns = Array.from({ length: TURNS_BEFORE }, (_, steps) => sql`${earlier(steps)} as ${raw(`before${steps}`)}`);
    const found = await db.query(sql<Record<string, string | null> & { id: string }>`
      select m.id, ${join(columns, ', ')} from messages m
      where m.workspace_id = ${workspaceId} and m.session_id = ${sessionId} and m.id in ${ids}`);
    for (const { id, ...before } of found)
      idsBefore.set(
        id,
        Object.values(before).filter((each) => each !== null),
      );
  }
  const turns = await loadTurns(db, { workspaceId, sessionId }, new Set([...idsBefore.values()].flat()));
  return messages.map((message) => {
    const before = (idsBefore.get(message.id) ?? []).flatMap((id) => turns.get(id) ?? []);
    return { ...message, before: before.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  });
}

async function loadTurns(
  db: Queryable,
  { workspaceId, sessionId }: Pick<SessionPlace, 'workspaceId' | 'sessionId'>,
  ids: ReadonlySet<string>,
): Promise<Map<string, Turn>> {
  if (ids.size === 0) return new Map();
  const found = await db.query(sql<Turn>`
    select ${turn} from (
      select m.id, m.role, ${excerptColumn(MOST_CHARACTERS_BEFORE)} from messages m
      where m.workspace_id = ${workspaceId} and m.session_id = ${sessionId} and m.id in ${list([...ids])}
        and m.role in ('user', 'assistant') and octet_length(m.content) <= ${MOST_BYTES_BEFORE}) w`);
  return new Map(found.map((each) => [each.id, each]));
}

/** What a summary is made of, oldest first. */
export async function spokenMessages(db: Queryable, { workspaceId, sessionId }: SessionPlace): Promise<SpokenMessage[]> {
  const some = (order: Sql, limit: number) =>
    db.query(sql<SpokenMessage>`
      select ${spoken} from (
        select m.id, m.role, ${excerptColumn(MOST_CHARACTERS_SUMMED_UP)}, m.created_at from messages m
        where m.workspace_id = ${workspaceId} and m.session_id = ${sessionId} order by m.id ${order} limit ${limit}) w order by id`);
  const [first, last] = await Promise.all([some(sql`asc`, FIRST_SUMMED_UP), some(sql`desc`, LAST_SUMMED_UP)]);
  const ids = new Set(first.map(({ id }) => id));
  return [...first, ...last.filter(({ id }) => !ids.has(id))];
}
