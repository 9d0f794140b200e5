/** What the log of a coordinator says of the program's statements. Its lines begin with the code of an error. */

/** "feature_not_supported", and "indeterminate_datatype", which a part of a statement is answered by that a worker can't read by itself. */
const REFUSED = ['0A000', '42P18'];

const SENT_TO_ALL = 'multi-task query about to be executed';
/** A statement of one workspace. Those of all of them name none, or a list. */
const NAMES_ONE_WORKSPACE = /\bworkspace_id = \$\d/;
/** Planned so once, to compare the costs, and never carried out. */
const ONLY_PLANNED = /^update .* from \(values /;

/** Each once. A plan that outlived its table has a code of those too, and is made again. */
export function refusedStatements(log: string): string[] {
  const refused = find(log, (line) => REFUSED.some((code) => line.startsWith(`${code}:ERROR:`)));
  return refused.flatMap(({ line, statement }) =>
    line.includes('cached plan must not change result type') ? [] : [`${line.slice(6).trim()} ${statement}`],
  );
}

/** Those of one workspace that went to all workers: one of another's that is down would fail them. */
export function scatteredStatements(log: string): string[] {
  const sent = find(log, (line) => line.includes(SENT_TO_ALL));
  return sent.flatMap(({ statement }) => (NAMES_ONE_WORKSPACE.test(statement) && !ONLY_PLANNED.test(statement) ? [statement] : []));
}

interface Entry {
  readonly line: string;
  readonly statement: string;
}

/** Its statement comes a few entries after a line. */
function find(log: string, isWanted: (line: string) => boolean): Entry[] {
  const lines = log.split(/^(?=[0-9A-Z]{5}:)/m);
  const found = new Map<string, Entry>();
  for (const [index, line] of lines.entries()) {
    if (!isWanted(line)) continue;
    const after = lines.slice(index + 1, index + 4).find((next) => /^.{5}:STATEMENT:/.test(next)) ?? '';
    const statement = after.slice('00000:STATEMENT:'.length).replace(/\s+/g, ' ').trim();
    found.set(statement, { line, statement });
  }
  return [...found.values()];
}
