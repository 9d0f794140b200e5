/** Messages as extraction reads them: never more than some thousand characters of one, however long it is. */
import { KEY_BLOCK_BEGINS, LEFT_OUT, SHARE_AT_END } from '@commonplace/english/excerpt';
import type { SpokenMessage } from '@commonplace/english/summary';
import type { Queryable } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { SourceMessage } from '../extraction/extractor.ts';

export const MOST_CHARACTERS_READ = 16_000;
/** Of a long session the beginning and the end are summed up. */
const FIRST_SUMMED_UP = 20;
const LAST_SUMMED_UP = 150;
const MOST_CHARACTERS_SUMMED_UP = 4_000;

const source = shape<SourceMessage>({ id: 'text', content: 'text', createdAt: 'time' });
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
export async function userMessages(
  db: Queryable,
  { workspaceId, sessionId }: SessionPlace,
  after: string | undefined,
  limit: number,
): Promise<SourceMessage[]> {
  return db.query(sql<SourceMessage>`
    select ${source} from (
      select m.id, ${excerptColumn()}, m.created_at from messages m
      where m.workspace_id = ${workspaceId} and m.session_id = ${sessionId} and m.role = 'user'
      ${after === undefined ? sql`` : sql`and m.id > ${after}`} order by m.id limit ${limit}) w order by id`);
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
