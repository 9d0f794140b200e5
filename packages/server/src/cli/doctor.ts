/** `doctor`: looks at the settings, the machine and the database, changes nothing, and says what to do. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { styleText } from 'node:util';
import { type Config, ConfigError, type Environment, readConfig, type Setting, settings } from '../config.ts';
import type { Database } from '../db/database.ts';
import { newerMigrations, pendingMigrations } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { sql } from '../db/sql.ts';
import { type LockOwner, readLockOwner } from '../db/sqlite/lock.ts';
import { createEmbedder } from '../search/embedding/create.ts';
import { modelState } from '../search/model-switch.ts';
import { countQueued } from '../search/vectors.ts';
import { examineBackup } from './backup-target.ts';
import { exitCodes, programName } from './command.ts';
import { createCommandLog, namesOf, openReadOnly } from './database.ts';
import { withMaskedPassword } from './masking.ts';
import { readVersion } from './version.ts';

type Mark = '✓' | '!' | '✗';

interface Finding {
  readonly mark: Mark;
  readonly text: string;
}

const fine = (text: string): Finding => ({ mark: '✓', text });
const doubtful = (text: string): Finding => ({ mark: '!', text });
const wrong = (text: string): Finding => ({ mark: '✗', text });

const OLDEST_NODE = 26;
const LOW_SPACE_BYTES = 1e9;
const TOLERATED_SKEW_MS = 2_000;
/** Read by who asks the service, `sync` and `mcp` among them. */
const CLIENT_SETTINGS = [
  ...['COMMONPLACE_URL', 'COMMONPLACE_ACCESS_KEY', 'COMMONPLACE_API_KEY'],
  ...['COMMONPLACE_WORKSPACE_ID', 'COMMONPLACE_AGENT_ID', 'COMMONPLACE_SESSION_ID'],
];

export async function run(): Promise<number> {
  const { config, findings } = readSettings(process.env);
  const counts: Record<Mark, number> = { '✓': 0, '!': 0, '✗': 0 };
  const print = ({ mark, text }: Finding) => {
    counts[mark]++;
    process.stdout.write(`  ${coloured(mark)} ${text}\n`);
  };
  process.stdout.write(`Commonplace ${readVersion()}\n\nSettings\n`);
  findings.forEach(print);
  process.stdout.write('\nMachine\n');
  print(node());
  print(program());
  process.stdout.write(`\n${config.databaseUrl ? 'PostgreSQL' : 'Embedded database'}\n`);
  for await (const finding of config.databaseUrl ? postgres(config) : embedded(config)) print(finding);
  if (config.backup) {
    process.stdout.write('\nContinuous backup\n');
    print(await backup(config.backup, config));
  }
  process.stdout.write('\nSearch\n');
  print(await model(config));
  process.stdout.write('\nMemories\n');
  print(await extractor(config));
  process.stdout.write(`\n${summary(counts)}\n`);
  return counts['✗'] > 0 ? exitCodes.failed : exitCodes.done;
}

function coloured(mark: Mark): string {
  const colours = { '✓': 'green', '!': 'yellow', '✗': 'red' } as const;
  return styleText(colours[mark], mark);
}

function summary(counts: Record<Mark, number>): string {
  if (counts['✗'] > 0) return `${counts['✗']} to be put right, marked ✗.`;
  return counts['!'] > 0 ? `Nothing is wrong; ${counts['!']} to look at, marked !.` : 'All is well.';
}

/** Each setting by itself, so that all that are wrong show at once; the rest of the checks go on without those. */
function readSettings(environment: Environment): { config: Config; findings: Finding[] } {
  const usable: Record<string, string | undefined> = {};
  const width = Math.max(...settings.map(({ name }) => name.length));
  const findings = settings.map((setting) => {
    const value = environment[setting.name]?.trim();
    const problem = value ? problemWith(setting.name, value) : undefined;
    if (problem) return wrong(`${problem} Set it to one of these, or unset it.`);
    usable[setting.name] = value;
    return fine(`${setting.name.padEnd(width)}  ${value ? shown(setting, value) : `${setting.fallback} (default)`}`);
  });
  const known = new Set<string>([...settings.map(({ name }) => name), ...CLIENT_SETTINGS]);
  for (const name of Object.keys(environment).sort()) {
    if (name.startsWith('COMMONPLACE_') && !known.has(name))
      findings.push(doubtful(`${name} is no setting of the service, and does nothing.`));
  }
  return { config: readConfig(usable), findings };
}

function problemWith(name: string, value: string): string | undefined {
  try {
    readConfig({ [name]: value });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return withMaskedUrls(error.message);
    throw error;
  }
}

function shown({ name }: Setting, value: string): string {
  return /PASSWORD|KEY|_TOKEN$/.test(name) ? 'set' : withMaskedPassword(value);
}

/** The message quotes the value; one that is no address at all may still hold a password after a colon. */
function withMaskedUrls(message: string): string {
  return message.replace(/(\/\/[^\s/@:]*):[^\s@]*@/g, '$1:***@');
}

function node(): Finding {
  const { node: version } = process.versions;
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return fine(`Node.js ${version}`);
  return wrong(`Node.js ${version} is too old: ${OLDEST_NODE} or later is needed. "npm install" in the project brings one along.`);
}

function program(): Finding {
  if (!import.meta.url.endsWith('.ts')) return fine('The program as it was built');
  return fine(
    'The program from its sources, as there is no bundle of them as they are; "npm run build:server" makes one, which starts faster',
  );
}

async function* embedded({ dataDir }: Config): AsyncGenerator<Finding> {
  const folder = checkFolder(dataDir);
  yield folder;
  if (folder.mark === '✗') return;
  yield freeSpace(existingAncestor(dataDir));
  const owner = readLockOwner(dataDir);
  if (owner) yield usedBy(owner);
  try {
    using db = openReadOnly(dataDir);
    if (!db) {
      yield doubtful(`There is no database yet. "${programName()} serve" makes it when it first starts.`);
      return;
    }
    const [row] = db.rows('select sqlite_version() as version');
    yield fine(`SQLite ${row?.version}, ${(db.sizeBytes / 1e6).toFixed(1)} MB`);
    yield await migrations(db.asDatabase);
    yield* await vectors(db.asDatabase);
    const problems = db.rows('pragma quick_check(10)').flatMap((line) => (line.quick_check === 'ok' ? [] : [String(line.quick_check)]));
    yield problems.length === 0 ? fine('The file is sound (quick check).') : damaged(problems.join('; '));
  } catch (error) {
    yield damaged(messageOf(error));
  }
}

function damaged(problem: string): Finding {
  return wrong(
    `The database file is damaged: ${problem}. Stop the service, then "${programName()} restore <file> --force" with the last backup.`,
  );
}

function checkFolder(dataDir: string): Finding {
  const other = 'or set COMMONPLACE_DATA_DIR to another folder.';
  const place = existingAncestor(dataDir);
  if (!statSync(place).isDirectory()) return wrong(`${place} is a file, not a folder: move it away, ${other}`);
  const writable = mayWrite(place);
  if (place !== dataDir) {
    return writable
      ? fine(`${dataDir} does not exist yet; the service makes it.`)
      : wrong(`${dataDir} can't be made: give this user the right to write in ${place}, ${other}`);
  }
  return writable
    ? fine(`${dataDir} can be written.`)
    : wrong(`${dataDir} can't be written by this user: change its owner or mode, ${other}`);
}

function existingAncestor(path: string): string {
  return existsSync(path) ? path : existingAncestor(dirname(path));
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function freeSpace(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const bytes = bavail * bsize;
  const text = `${(bytes / 1e9).toFixed(1)} GB of disk space free`;
  return bytes >= LOW_SPACE_BYTES ? fine(text) : doubtful(`${text}: make room, or move the data folder. A full disk stops all writing.`);
}

function usedBy({ pid, host, startedAt, address }: LockOwner): Finding {
  const who = `process ${pid} on ${host}, since ${startedAt}${address ? `, at ${address}` : ''}`;
  if (host !== hostname()) return doubtful(`The folder was last taken by ${who}; from here it can't be seen whether it still runs.`);
  return isAlive(pid)
    ? fine(`In use by ${who}`)
    : doubtful(`${who}, ended without a proper stop. The next start cleans up; look in its log for why.`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function migrations(db: Database): Promise<Finding> {
  try {
    const pending = await pendingMigrations(db);
    const newer = await newerMigrations(db);
    if (newer.length > 0)
      return doubtful(`A newer program ran ${namesOf(newer)}. This one works beside it; run the newer one as soon as you can.`);
    if (pending.length === 0) return fine('The tables are those of this version.');
    return doubtful(`${namesOf(pending)} will run at the next start, or with "${programName()} migrate". Back up before.`);
  } catch (error) {
    return wrong(messageOf(error));
  }
}

async function* postgres(config: Config): AsyncGenerator<Finding> {
  let db: Database;
  try {
    db = await openDatabase(config, createCommandLog());
  } catch (error) {
    yield wrong(messageOf(error));
    return;
  }
  try {
    yield fine(await db.describe());
    yield await migrations(db);
    yield* await vectors(db);
    yield await clockSkew(db);
  } catch (error) {
    yield wrong(messageOf(error));
  } finally {
    await db.close();
  }
}

/** Writes something there, reads it and deletes it. */
async function backup(target: NonNullable<Config['backup']>, { databaseUrl, dataDir }: Config): Promise<Finding> {
  if (databaseUrl) return doubtful('COMMONPLACE_BACKUP_URL is of no use with PostgreSQL, which has backups of its own.');
  try {
    const { problem, text } = await examineBackup(target, dataDir);
    return problem ? wrong(text) : fine(text);
  } catch (error) {
    return wrong(`The target can't be used: ${messageOf(error)}`);
  }
}

/** Asks the model for a vector, as a search would. */
async function model(config: Config): Promise<Finding> {
  const embedder = createEmbedder(config);
  try {
    await embedder.ready();
    return fine(`The model ${embedder.model} answers, with ${embedder.dimensions} dimensions.`);
  } catch (error) {
    return wrong(`The model can't be used: ${messageOf(error)}`);
  } finally {
    await embedder.close();
  }
}

/** Asks the language model, if there is one, what it makes of a message. */
async function extractor({ llm }: Config): Promise<Finding> {
  if (!llm) return fine('The built-in extractor finds memories in messages.');
  try {
    const { createLlmExtractor } = await import('../memories/extraction/llm/extractor.ts');
    const { extract, name } = createLlmExtractor({ ...llm, isSecret: () => false });
    const message = { id: 'doctor', content: 'I prefer aisle seats.', createdAt: new Date().toISOString() };
    const { memories } = await extract([message], [], new AbortController().signal);
    if (memories.length === 0) return doubtful(`The language model ${name} answers, but finds nothing in ‘${message.content}’.`);
    return fine(`The language model ${name} answers.`);
  } catch (error) {
    return doubtful(`The language model can't be used, and the built-in extractor stands in for it: ${messageOf(error)}`);
  }
}

/** How far the vectors are; nothing before the first start. */
async function vectors(db: Database): Promise<Finding[]> {
  const isMigrated = (await pendingMigrations(db).catch(() => [undefined])).length === 0;
  const state = isMigrated ? await modelState(db) : undefined;
  if (!state) return [];
  const waiting = await countQueued(db);
  const progress = state.isComplete
    ? `All vectors are of ${state.model}`
    : `${state.model} is being switched to: old vectors are made anew in the background`;
  return [fine(`${progress}; ${waiting} ${waiting === 1 ? 'text waits' : 'texts wait'} for a vector.`)];
}

async function clockSkew(db: Database): Promise<Finding> {
  const before = Date.now();
  const { now } = await db.one(sql<{ now: string }>`select clock_timestamp() as now`);
  const here = (before + Date.now()) / 2;
  const skewMs = Math.abs(Date.parse(now) - here);
  if (skewMs <= TOLERATED_SKEW_MS) return fine('The clocks of the database and of this machine agree.');
  return doubtful(
    `The clocks of the database and of this machine are ${(skewMs / 1000).toFixed(1)} s apart. The service goes by the database's; logs and certificates by this machine's: synchronize them (NTP).`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
