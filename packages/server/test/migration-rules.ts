/** What a migration must not do while nodes of the release before it still run: take away, rename, or ask for more than they give. */

interface Rule {
  readonly what: string;
  readonly found: RegExp;
}

const rules: readonly Rule[] = [
  { what: 'drops something', found: /\bdrop\b(?!\s+not\s+null\b)/ },
  { what: 'renames something', found: /\brename\b/ },
  { what: 'changes the type of a column', found: /\balter\s+(column\s+)?\S+\s+(set\s+data\s+)?type\b|\balter\s+type\b/ },
  { what: 'makes a column demand a value', found: /\bset\s+not\s+null\b/ },
];

/** What it does of that, in words. What it makes itself it may make as it likes. */
export function findContractions(script: string): string[] {
  const statements = statementsOf(script);
  const made = tablesMade(statements);
  return statements.flatMap((statement) => {
    const found = rules.filter(({ found }) => found.test(statement)).map(({ what }) => what);
    const altered = /^alter table (?:only )?(?:if exists )?(\S+)/.exec(statement)?.[1];
    if (altered !== undefined && !made.has(altered)) found.push(...demandsOf(statement));
    const indexed = /^create unique index .*? on (?:only )?([^\s(]+)/.exec(statement)?.[1];
    if (indexed !== undefined && !made.has(indexed)) found.push('makes what was there unique');
    return found.map((what) => `${what}: ${statement.slice(0, 120)}`);
  });
}

/** Indexes that keep everybody from writing to a table until they are made. Of a new table there is nobody to keep. */
export function findBlockingIndexes(script: string): string[] {
  const statements = statementsOf(script);
  const made = tablesMade(statements);
  return statements.filter((statement) => {
    const [, way, table] = /^create (?:unique )?index (concurrently )?.*?\bon (?:only )?([^\s(]+)/.exec(statement) ?? [];
    return table !== undefined && way === undefined && !made.has(table);
  });
}

function statementsOf(script: string): string[] {
  return withoutTexts(script)
    .toLowerCase()
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' '))
    .filter((statement) => statement !== '');
}

function tablesMade(statements: readonly string[]): Set<string | undefined> {
  return new Set(statements.map((statement) => /^create table (?:if not exists )?(\S+?)[\s(]/.exec(`${statement} `)?.[1]));
}

/** New columns and constraints of a table that old nodes write to. */
function demandsOf(statement: string): string[] {
  const actions = statement.split(/,(?![^(]*\))/);
  return actions.flatMap((action) => {
    if (/\badd (constraint|primary key|foreign key|unique|check|exclude)\b/.test(action)) return ['adds a constraint'];
    if (!/\badd (column )?/.test(action)) return [];
    const found: string[] = [];
    if (/\bnot null\b/.test(action) && !/\bdefault\b|\bgenerated\b/.test(action)) found.push('adds a column that demands a value');
    if (/\b(unique|primary key)\b/.test(action)) found.push('adds a unique column');
    return found;
  });
}

/** Without comments and quoted texts, in which any word may stand. */
function withoutTexts(script: string): string {
  return script
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\/\*[\s\S]*?\*\//g, ' ')
    .replaceAll(/'(?:[^']|'')*'/g, "''");
}
