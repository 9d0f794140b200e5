/** Guards that the server itself looks at, so that a unit need not come back before its commit is sent. */
import type { Sql } from '../sql.ts';
import { byText } from './statements.ts';

/** People read it in the server's log, as the text of a number that is none. */
const MARK = 'Commonplace undid a unit of work: no row for one of its statements';
/** The server would work out what is the same for all rows before it looks at any. */
const MISSED = `case when count(*) = 0 then ('${MARK}' || count(*))::int end as missed`;

export interface GuardedText {
  readonly text: string;
  /** Where the statement has rows of its own. */
  readonly hasRows: boolean;
}

/** The statement as one that fails where it touches or returns no row. Undefined for what can't be said so, or could lose its order. */
export const guardedText = byText((text): GuardedText | undefined => {
  const verb = /^\s*(select|insert|update|delete)\b/i.exec(text)?.[1]?.toLowerCase();
  if (verb === undefined || /\border by\b/i.test(text)) return undefined;
  if (verb !== 'select' && !/\breturning\b/i.test(text))
    return { text: `with touched as (${text} returning 1) select ${MISSED} from touched`, hasRows: false };
  return {
    text: `with touched as (${text}) select touched.* from (select ${MISSED} from touched) checked left join touched on checked.missed is null`,
    hasRows: true,
  };
});

export function missed(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '22P02' && error.message.includes(MARK);
}

/** Whether the server can look at every guard there is. */
export function areAllChecked(statements: readonly Sql[]): boolean {
  return statements.every((statement) => statement.guard === undefined || guardedText(statement.text('postgres')) !== undefined);
}
