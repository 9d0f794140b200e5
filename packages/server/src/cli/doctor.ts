/** `doctor`: looks at the settings, the machine and the database, changes nothing, and says what to do. */
import { styleText } from 'node:util';
import type { Config } from '../config.ts';
import { createEmbedder } from '../search/embedding/create.ts';
import { examineBackup } from './backup-target.ts';
import { exitCodes } from './command.ts';
import { examineEmbedded, examinePostgres } from './doctor-database.ts';
import { doubtful, type Finding, fine, type Mark, messageOf, wrong } from './doctor-finding.ts';
import { readSettings } from './doctor-settings.ts';
import { readVersion } from './version.ts';

const OLDEST_NODE = 26;

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
  for await (const finding of config.databaseUrl ? examinePostgres(config) : examineEmbedded(config)) print(finding);
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
