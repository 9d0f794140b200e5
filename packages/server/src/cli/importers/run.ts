/** `import --from`: the history of another program, through the import of the service. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { exceedsLength } from '@commonplace/contract/lengths';
import type { AgentLine } from '@commonplace/contract/transfer';
import { type Arguments, exitCodes, requireText, textOf, UsageError } from '../command.ts';
import { Progress } from '../transfer/progress.ts';
import { openWorkspace } from '../transfer/service.ts';
import { summaryOf } from '../transfer/summary.ts';
import { type Format, formats, isFormat } from './formats.ts';
import { digestOf, type Importer, type ImporterOptions, type Problem, timelessId, toTime } from './items.ts';
import { begun, findPlaces, streamOf } from './stream.ts';

const LONGEST_NAME = 100;

type Workspace = ReturnType<typeof openWorkspace>;

export async function run(given: Arguments): Promise<number> {
  const importer = await formats[requireFormat(given)]();
  const path = resolve(given.positionals[0] as string);
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new Error(`${path} is not there, or can't be read`);
  const workspaceId = (textOf(given, 'workspace') ?? process.env.COMMONPLACE_WORKSPACE_ID ?? '').toLowerCase();
  const workspace = openWorkspace(given);
  const nowMs = Date.now();
  const { agentId, agent } = await findAgent(workspace, workspaceId, agentNameOf(given, importer), nowMs);
  const options: ImporterOptions = { workspaceId, agentId, nowMs };
  const progress = new Progress('Importing');
  const teller = new Teller(progress);
  const total = found.isFile() ? found.size : undefined;
  let bytes = 0;
  const onRead = (count: number) => {
    bytes += count;
    progress.show({ bytes, done: bytes, total, noun: 'bytes' });
  };
  const stream = { workspaceId, nowMs, agent, onProblem: (problem: Problem) => teller.tell(problem) };
  const items = await begun(importer.read(path, { ...options, onRead }));
  const result = await workspace.import(streamOf(items, stream)).finally(() => progress.end());
  const lines = new Set(result.errors.map(({ line }) => line));
  const places = lines.size > 0 ? await findPlaces(importer.read(path, options), agent !== undefined, lines) : new Map<number, string>();
  for (const { line, message } of result.errors)
    process.stderr.write(`${places.get(line) ?? `line ${line} of what was sent`}: ${message}\n`);
  process.stdout.write(`${summaryOf(result).slice(0, -1)}, ${teller.leftOut} left out.\n`);
  return result.errors.length === 0 && teller.failures === 0 ? exitCodes.done : exitCodes.failed;
}

function requireFormat(given: Arguments): Format {
  const name = requireText(given, 'from');
  if (!isFormat(name)) throw new UsageError(`--from is one of ${Object.keys(formats).join(', ')}`);
  if (given.values['new-ids'] !== undefined)
    throw new UsageError('--new-ids goes with what was exported: other histories have ids of their own');
  if (given.positionals[0] === '-') throw new UsageError('--from reads a file or a folder, not standard input');
  return name;
}

function agentNameOf(given: Arguments, { agentName }: Importer): string | undefined {
  const named = textOf(given, 'agent')?.trim();
  if (named !== undefined && agentName === undefined) throw new UsageError('--agent goes with conversations; documents belong to no agent');
  if (named !== undefined && exceedsLength(named, LONGEST_NAME)) throw new UsageError(`--agent must not exceed ${LONGEST_NAME} characters`);
  return named || agentName;
}

/** The agent of that name, or the one that is made. */
async function findAgent(
  workspace: Workspace,
  workspaceId: string,
  name: string | undefined,
  nowMs: number,
): Promise<{ agentId: string; agent: AgentLine | undefined }> {
  if (name === undefined) return { agentId: '', agent: undefined };
  for await (const { id, name: known } of workspace.agents.list({ limit: 100 }))
    if (known === name) return { agentId: id, agent: undefined };
  const agentId = timelessId(digestOf(workspaceId, 'agent', name));
  const rest = { description: '', status: 'active', configs: {}, promptId: null, kbLabels: {} } as const;
  return { agentId, agent: { id: agentId, name, handle: name, ...rest, createdAt: toTime(nowMs), updatedAt: toTime(nowMs) } };
}

/** Names what is left out, the first of it: a file that is something else would have no end. */
class Teller {
  readonly #progress: Progress;
  leftOut = 0;
  failures = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  tell({ place, problem, isHarmless }: Problem): void {
    this.leftOut++;
    if (!isHarmless) this.failures++;
    if (this.leftOut > MOST_TOLD) return;
    this.#progress.end();
    process.stderr.write(`${place}: ${problem}\n`);
    if (this.leftOut === MOST_TOLD) process.stderr.write('More are counted, and not named.\n');
  }
}

const MOST_TOLD = 1_000;
