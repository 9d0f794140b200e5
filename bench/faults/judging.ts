/** What there is when the load is over, held against its ledgers: everything once, in order, found by its words, with nothing left to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './caller.ts';
import type { Findings, Line } from './ledger.ts';
import type { Place, Places } from './places.ts';

const WORDS_AT_ONCE = 10;
const SEARCHES_AT_ONCE = 4;
const POLL_MS = 250;

export interface Judgement {
  readonly acknowledged: number;
  readonly unknown: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly disordered: readonly string[];
  readonly notFound: readonly string[];
  /** Since the load ended, until no job, no text to embed and no message to extract from was left. */
  readonly drainedMs: number;
}

export async function judge(caller: Caller, places: Places, drainWithinMs: number): Promise<Judgement> {
  const drainedMs = await untilDrained(caller, places, drainWithinMs);
  const { own, shared, prompts, documents } = places;
  const findings: Findings[] = [];
  const notFound: string[] = [];
  for (const place of [...own, shared]) {
    findings.push(place.ledger.judge(place.path, await listAll(caller, `${place.path}/messages`, 'messages', 'content')));
    notFound.push(...(await missingWords(caller, place, `${place.path}/messages/search`)));
  }
  for (const { path, ledger, byName } of prompts) {
    const versions = await listAll(caller, `${path}/versions`, 'versions', 'content');
    // Newest first, and the first of all is from before the load.
    findings.push(ledger.judge(path, versions.reverse().slice(1)));
    const last = ledger.acknowledged.at(-1)?.lines[0]?.content;
    const production = await caller.insist('read', { path: `${byName}?version=production` });
    if (production?.body.content !== last) notFound.push(`${byName}: ${production?.body.content} is in production, and not ${last}`);
  }
  const titles = await listAll(caller, documents.path, 'documents', 'title');
  findings.push(documents.ledger.judge(documents.path, titles.reverse()));
  notFound.push(...(await missingWords(caller, documents, `${documents.path}/search`)));
  const sum = (name: 'acknowledged' | 'unknown') => findings.reduce((total, finding) => total + finding[name], 0);
  const all = (name: 'lost' | 'doubled' | 'disordered') => findings.flatMap((finding) => finding[name]);
  return {
    acknowledged: sum('acknowledged'),
    unknown: sum('unknown'),
    lost: all('lost'),
    doubled: all('doubled'),
    disordered: all('disordered'),
    notFound,
    drainedMs,
  };
}

async function untilDrained(caller: Caller, { workspace }: Places, withinMs: number): Promise<number> {
  const startMs = performance.now();
  for (;;) {
    const answer = await caller.ask('read', { path: `${workspace}/jobs` });
    const counts = answer?.status === 200 ? answer.body.counts : undefined;
    const tookMs = performance.now() - startMs;
    if (counts && counts.waiting + counts.running + counts.failed === 0) return tookMs;
    if (tookMs > withinMs || counts?.failed > 0) {
      caller.problem(`the queues were not empty after ${Math.round(tookMs / 1000)} s: ${JSON.stringify(answer?.body)}`);
      return tookMs;
    }
    await sleep(POLL_MS);
  }
}

async function listAll(caller: Caller, path: string, name: string, field: string): Promise<{ id: string; content: string }[]> {
  const items: { id: string; content: string }[] = [];
  for (let cursor = ''; ; ) {
    const answer = await caller.insist('read', { path: `${path}?limit=100${cursor}` });
    if (answer?.status !== 200) {
      caller.problem(`${path}: ${answer?.status}`);
      return items;
    }
    for (const item of answer.body[name]) items.push({ id: item.id, content: item[field] });
    const next = answer.body._meta.cursor;
    if (next === undefined) return items;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

/** Several words at once; what that does not bring is looked for by itself. */
async function missingWords(caller: Caller, { ledger }: Place, path: string): Promise<string[]> {
  const wanted = ledger.acknowledged.flatMap(({ lines, ids }) => lines.map((line, index) => ({ line, id: ids?.[index] as string })));
  const missing: string[] = [];
  const search = async (lines: readonly { line: Line; id: string }[]): Promise<ReadonlySet<string>> => {
    const body = { query: lines.map(({ line }) => line.word).join(' '), limit: 100 };
    const answer = await caller.insist('search', { method: 'POST', path, body });
    // What has no answer is a problem by itself, and says nothing of what is there.
    if (answer?.status !== 200) return new Set(lines.map(({ id }) => id));
    return new Set(answer.body.results.map((hit: { id?: string; documentId?: string }) => hit.documentId ?? hit.id));
  };
  const groups = Array.from({ length: Math.ceil(wanted.length / WORDS_AT_ONCE) }, (_, index) =>
    wanted.slice(index * WORDS_AT_ONCE, (index + 1) * WORDS_AT_ONCE),
  ).values();
  const look = async () => {
    for (const group of groups) {
      const found = await search(group);
      for (const one of group)
        if (!found.has(one.id) && !(await search([one])).has(one.id)) missing.push(`${path}: ‘${one.line.word}’ does not find ${one.id}`);
    }
  };
  await Promise.all(Array.from({ length: SEARCHES_AT_ONCE }, look));
  return missing;
}
