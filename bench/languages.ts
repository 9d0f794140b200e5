/** The suite `languages`: what words alone find in sessions of other languages. Small sets: a question is 6 % of a column. */
import { readFile } from 'node:fs/promises';
import { ScopeIndex } from '../packages/server/src/search/ranking/scope-index.ts';
import { heading, row } from './table.ts';

const LANGUAGES = [
  ...['spanish', 'german', 'french', 'portuguese', 'italian', 'dutch', 'russian', 'chinese', 'japanese', 'thai', 'arabic'],
  'english',
] as const;
const USES = ['development', 'held-out'] as const;
const FIRST_HITS = 5;
const MINUTE_MS = 60_000;
const BEGIN = Date.UTC(2026, 0, 5, 9);

/**
 * A session, and questions with the places of the messages that answer them. Of those that are held out, the last six of each European
 * language but English, and of Arabic, were written when stems and languages were told as they are now.
 */
export interface LabelledSession {
  readonly messages: readonly string[];
  readonly questions: readonly { readonly text: string; readonly finds: readonly number[]; readonly use: (typeof USES)[number] }[];
}

interface Quality {
  /** Of the messages that answer, how many are among the first five hits. */
  readonly recall: number;
  /** One divided by the place of the first of them, on average. */
  readonly rank: number;
}

async function readSession(language: string): Promise<LabelledSession> {
  return JSON.parse(await readFile(new URL(`./languages/${language}.json`, import.meta.url), 'utf8')) as LabelledSession;
}

export async function runLanguages(): Promise<void> {
  const sessions = await readSessions();
  report('languages: a session of one language by words alone', sessions, (session) => indexOf([session]));
  const together = indexOf([...sessions.values()]);
  report('languages: all of those sessions together', sessions, () => together);
}

export async function readSessions(): Promise<Map<string, LabelledSession>> {
  const sessions = new Map<string, LabelledSession>();
  for (const language of LANGUAGES) sessions.set(language, await readSession(language));
  return sessions;
}

function report(title: string, sessions: ReadonlyMap<string, LabelledSession>, indexFor: (session: LabelledSession) => ScopeIndex): void {
  heading(title, ['language', ...USES.flatMap((use) => [`recall@${FIRST_HITS}, ${use}`, `MRR, ${use}`])]);
  const all: Quality[][] = [];
  for (const [language, session] of sessions) {
    const index = indexFor(session);
    const measured = USES.map((use) => measure(index, session, use));
    all.push(measured);
    row([language, ...measured.flatMap(cellsOf)]);
  }
  const means = USES.map((_, at) => ({
    recall: mean(all.map((measured) => (measured[at] as Quality).recall)),
    rank: mean(all.map((measured) => (measured[at] as Quality).rank)),
  }));
  row(['mean', ...means.flatMap(cellsOf)]);
}

export function indexOf(sessions: readonly LabelledSession[]): ScopeIndex {
  const index = new ScopeIndex('messages');
  const items = sessions.flatMap(({ messages }, number) =>
    messages.map((text, place) => ({
      id: text,
      order: `${number} ${String(place).padStart(8, '0')}`,
      thread: String(number),
      text,
      tags: [],
      time: BEGIN + place * MINUTE_MS,
    })),
  );
  for (const _ of index.upsert(items));
  return index;
}

export function measure(index: ScopeIndex, { messages, questions }: LabelledSession, use: (typeof USES)[number]): Quality {
  const asked = questions.filter((question) => question.use === use);
  const each = asked.map(({ text, finds }) => {
    for (const _ of index.prepare({ text: text }));
    const hits = index.searcher.search({ text, limit: 50 }).map(({ id }) => id);
    const wanted = finds.map((place) => messages[place] as string);
    const first = hits.findIndex((id) => wanted.includes(id));
    return {
      recall: wanted.filter((id) => hits.slice(0, FIRST_HITS).includes(id)).length / wanted.length,
      rank: first < 0 ? 0 : 1 / (first + 1),
    };
  });
  return { recall: mean(each.map(({ recall }) => recall)), rank: mean(each.map(({ rank }) => rank)) };
}

function cellsOf({ recall, rank }: Quality): string[] {
  return [recall.toFixed(2), rank.toFixed(2)];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
