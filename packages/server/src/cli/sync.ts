/** `sync`: keeps the documents of a workspace in step with a folder. */
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientOptions, Commonplace, type Document } from '@commonplace/client';
import { labelsOf } from '../documents/rules.ts';
import { AppError } from '../errors.ts';
import { type Arguments, exitCodes, textOf, UsageError } from './command.ts';
import { requireServiceUrl } from './service-url.ts';
import { applyPlan, type Documents, type Outcome } from './sync/apply.ts';
import { readFolder } from './sync/folder.ts';
import { NAME_END, planSync } from './sync/plan.ts';

const LONGEST_PREFIX = 100;
/** Editors write a file in several steps. */
const QUIET_MS = 300;
const TRY_AGAIN_MS = 10_000;
const PAGE = 100;
const ANSWER_LIMIT_MS = 120_000;
/** While files are uploaded, a service that is busy or restarts is waited for. One that is not there at the beginning is told soon. */
const MOST_RETRIES = 11;
const MOST_RETRIES_AT_FIRST = 3;

interface Settings {
  readonly root: string;
  readonly prefix: string;
  readonly labels: readonly string[];
  readonly isDryRun: boolean;
  readonly isForced: boolean;
}

export async function run(given: Arguments): Promise<number> {
  const root = resolve(given.positionals[0] as string);
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory()) throw new Error(`${root} is no folder`);
  const settings: Settings = {
    root,
    prefix: `${prefixOf(textOf(given, 'prefix'), root)}${NAME_END}`,
    labels: readLabels(textOf(given, 'labels')),
    isDryRun: given.values['dry-run'] === true,
    isForced: given.values.force === true,
  };
  const { documents } = new Commonplace({ ...readService(process.env), timeoutMs: ANSWER_LIMIT_MS, maxRetries: MOST_RETRIES });
  if (given.values.watch !== true) return (await syncOnce(settings, documents)) ? exitCodes.done : exitCodes.failed;
  if (settings.isDryRun) throw new UsageError('--watch goes on for ever, and --dry-run changes nothing; give one of them');
  await keepInStep(settings, documents);
  return exitCodes.done;
}

/** Whether the workspace is in step now. */
async function syncOnce(settings: Settings, documents: Documents): Promise<boolean> {
  const { root, prefix, labels, isDryRun, isForced } = settings;
  const folder = await readFolder(root, (path) => `${prefix}${path.normalize('NFC')}`);
  const plan = planSync(prefix, folder, await listDocuments(documents, prefix), labels);
  if (plan.doubt !== undefined && !isForced && !isDryRun) {
    throw new Error(
      `${plan.doubt}, which is refused unless --force is given. Is the folder empty or not mounted, or does another folder go by the name "${prefix.slice(0, -1)}" (--prefix)?`,
    );
  }
  const outcome = await applyPlan({ root, labels, documents, isDryRun }, folder, plan);
  process.stdout.write(`${isDryRun ? 'Nothing was changed. It would be: ' : ''}${summaryOf(outcome)}\n`);
  if (plan.doubt !== undefined && isDryRun) process.stdout.write(`${plan.doubt}: this needs --force.\n`);
  return outcome.failed === 0;
}

/** Those whose external id begins so. */
async function listDocuments(documents: Documents, beginning: string): Promise<Document[]> {
  const found: Document[] = [];
  for await (const document of documents.list({ limit: PAGE }, { maxRetries: MOST_RETRIES_AT_FIRST })) {
    if (document.externalId?.startsWith(beginning)) found.push(document);
  }
  return found;
}

function summaryOf({ added, changed, moved, deleted, unchanged, leftOut, failed }: Outcome): string {
  return `${added} new, ${changed} changed, ${moved} renamed, ${deleted} deleted, ${unchanged} unchanged, ${leftOut} skipped, ${failed} failed.`;
}

/** Until a signal ends it, between two runs or after the one under way. */
async function keepInStep(settings: Settings, documents: Documents): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  let isChanged = true;
  let wake = () => {};
  const notice = () => {
    isChanged = true;
    wake();
  };
  stop.signal.addEventListener('abort', () => wake());
  // From before the first run on, so that nothing is missed.
  const watcher: FSWatcher = watch(settings.root, { recursive: true }, notice);
  const failure = Promise.withResolvers<never>();
  watcher.on('error', failure.reject);
  process.stdout.write(`Watching ${settings.root}; Ctrl-C ends it.\n`);
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  const goOn = async () => {
    while (!stop.signal.aborted) {
      if (!isChanged) await new Promise<void>((resolve) => (wake = resolve));
      isChanged = false;
      await pause(QUIET_MS);
      if (stop.signal.aborted) return;
      try {
        if (await syncOnce(settings, documents)) continue;
      } catch (error) {
        process.stderr.write(`commonplace: ${(error as Error).message}\n`);
      }
      process.stderr.write(`commonplace: trying again in ${TRY_AGAIN_MS / 1000} s\n`);
      setTimeout(notice, TRY_AGAIN_MS).unref();
    }
  };
  try {
    await Promise.race([goOn(), failure.promise]);
  } finally {
    watcher.close();
  }
}

function prefixOf(given: string | undefined, root: string): string {
  const prefix = given ?? basename(root);
  if (prefix === '' || prefix.length > LONGEST_PREFIX || prefix.includes(NAME_END) || /\p{Cc}/u.test(prefix)) {
    throw new UsageError(`--prefix is needed, 1 to ${LONGEST_PREFIX} characters without "${NAME_END}": "${prefix}" can't be one`);
  }
  return prefix.normalize('NFC');
}

function readLabels(given: string | undefined): string[] {
  try {
    return labelsOf(given === undefined ? [] : [given]);
  } catch (error) {
    if (error instanceof AppError) throw new UsageError(`--labels: ${error.message}`);
    throw error;
  }
}

function readService(environment: Readonly<Record<string, string | undefined>>): ClientOptions {
  const { COMMONPLACE_ACCESS_KEY: accessKey, COMMONPLACE_API_KEY: apiKey, COMMONPLACE_WORKSPACE_ID: workspaceId } = environment;
  const baseUrl = requireServiceUrl();
  if (accessKey) return { baseUrl, workspaceId, accessKey };
  if (apiKey && !workspaceId) throw new UsageError('COMMONPLACE_WORKSPACE_ID must name the workspace: an API key opens several');
  if (apiKey) return { baseUrl, workspaceId, apiKey };
  throw new UsageError('COMMONPLACE_ACCESS_KEY or COMMONPLACE_API_KEY must hold a key');
}
