/** What weights are learnt from, and measured on: conversations and memories with judged questions. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chunksOf } from '../../packages/server/src/documents/chunking.ts';
import { chunkPrefix } from '../../packages/server/src/documents/search.ts';
import type { IndexItem } from '../../packages/server/src/search/ranking/index-item.ts';

export interface Question {
  readonly text: string;
  readonly kind: string;
  /** The ids of the items that answer it. */
  readonly relevant: ReadonlySet<string>;
}

export interface Collection {
  readonly name: string;
  readonly items: readonly IndexItem[];
  readonly questions: readonly Question[];
}

interface Turn {
  readonly id: string;
  readonly at: string;
  readonly speaker: string;
  readonly text: string;
}

interface Conversation {
  readonly id: string;
  readonly turns: readonly Turn[];
  readonly questions: readonly { text: string; kind: string; relevant: readonly string[] }[];
}

interface Memories {
  readonly id: string;
  readonly memories: readonly { id: string; kind: string; text: string }[];
  readonly questions: Conversation['questions'];
}

interface Documents {
  readonly documents: readonly { id: string; title: string; text: string }[];
  readonly queries: readonly { text: string; relevant: Readonly<Record<string, number>> }[];
}

/** A dialogue of Molweni (Apache-2.0): many speakers, and answers that are spans of what one of them says. */
interface Dialogue {
  readonly edus: readonly { speaker: string; text: string }[];
  readonly qas?: readonly { question: string; is_impossible?: boolean; answers?: readonly { text: string }[] }[];
}

const OWN = new URL('../recall/', import.meta.url);
/** Not learnt from. */
const HELD_OUT = /-(?:04|08|11|14)$|^memories-[678]$/;
const ROLES = ['user', 'assistant'];

export const isHeldOut = ({ name }: Collection) => HELD_OUT.test(name);

/** As they are written. */
export function heldOutConversations(): Conversation[] {
  return readOwn<Conversation>('conversation-').filter(({ id }) => HELD_OUT.test(id));
}

export function ownConversations(): Collection[] {
  return readOwn<Conversation>('conversation-').map(conversation);
}

export function ownMemories(): Collection[] {
  return readOwn<Memories>('memories-').map(({ id, memories, questions }) => ({
    name: id,
    items: memories.map(({ id: memoryId, kind, text }, i) => ({ id: memoryId, order: place(i), thread: id, text, tags: [`kind:${kind}`] })),
    questions: questions.map(judged),
  }));
}

/** The conversations of a folder with collections for measuring. */
export function givenConversations(folder: string): Collection[] {
  const file = join(folder, 'conversations.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Conversation[]).map(conversation) : [];
}

/** The documents of such a folder, as they are cut when they are uploaded; a chunk answers what its document answers. */
export function givenDocuments(folder: string): Collection | undefined {
  const file = join(folder, 'documents.json');
  if (!existsSync(file)) return undefined;
  const { documents, queries } = JSON.parse(readFileSync(file, 'utf8')) as Documents;
  const items = documents.flatMap(({ id, title, text }) =>
    chunksOf(text || '-', 'text').map((chunk, i) => {
      const prefix = chunkPrefix({ title: title || 'Untitled', heading: chunk.heading });
      return { id: `${id}:${i}`, order: place(i), thread: id, prefix, text: chunk.text, tags: [] };
    }),
  );
  const questions = queries.map(({ text, relevant }) => {
    const answers = items.filter(({ thread }) => (relevant[thread] ?? 0) > 0).map(({ id }) => id);
    return { text, kind: 'document', relevant: new Set(answers) };
  });
  return { name: 'documents', items, questions };
}

const CHANNELS = 4;
const DIALOGUE_PAUSE_MS = 86_400_000;
const TURN_MS = 60_000;
const LEAST_ANSWER = 4;
const QUESTIONS_OF_CHANNEL = 150;

/** The dialogues of a file, one after the other in a few channels. */
export function molweni(file: string): Collection[] {
  const { dialogues } = (JSON.parse(readFileSync(file, 'utf8')) as { data: { dialogues: Dialogue[] } }).data;
  const unique = [...new Map(dialogues.map((one) => [one.edus.map(({ text }) => text).join('\n'), one])).values()];
  return Array.from({ length: CHANNELS }, (_, channel) => {
    const of = unique.filter((_dialogue, number) => number % CHANNELS === channel);
    return {
      name: `molweni-${channel}`,
      items: of.flatMap((dialogue, number) =>
        dialogue.edus.map(({ speaker, text }, i) => ({
          id: `${number}:${i}`,
          order: place(number * 100 + i),
          thread: `${channel}`,
          text: `${nameOf(speaker)}: ${text}`,
          tags: [],
          time: number * DIALOGUE_PAUSE_MS + i * TURN_MS,
        })),
      ),
      questions: of.flatMap((dialogue, number) => questionsOf(dialogue, number)).slice(0, QUESTIONS_OF_CHANNEL),
    };
  });
}

/** Those whose answer stands in one turn alone. */
function questionsOf({ edus, qas = [] }: Dialogue, number: number): Question[] {
  return qas.flatMap(({ question, is_impossible: isImpossible, answers = [] }) => {
    const answer = answers[0]?.text.toLowerCase().trim() ?? '';
    const within = [...edus.keys()].filter((i) => edus[i]?.text.toLowerCase().includes(answer));
    if (isImpossible || answer.length < LEAST_ANSWER || within.length !== 1) return [];
    const text = edus.reduce((asked, { speaker }) => asked.replaceAll(speaker, nameOf(speaker)), question);
    return [{ text, kind: 'span', relevant: new Set([`${number}:${within[0]}`]) }];
  });
}

/** A handle in the form of a name. */
function nameOf(handle: string): string {
  return (handle[0]?.toUpperCase() ?? '') + handle.slice(1).replaceAll(/[^A-Za-z]/g, 'x');
}

function conversation({ id, turns, questions }: Conversation): Collection {
  return {
    name: id,
    items: turns.map(({ id: turnId, at, speaker, text }, i) => {
      const role = ROLES.includes(speaker) ? speaker : speaker === turns[0]?.speaker ? 'user' : 'assistant';
      const content = ROLES.includes(speaker) ? text : `${speaker}: ${text}`;
      return { id: turnId, order: place(i), thread: id, text: content, tags: [`role:${role}`], time: Date.parse(at) };
    }),
    questions: questions.map(judged),
  };
}

function judged({ text, kind, relevant }: Conversation['questions'][number]): Question {
  return { text, kind, relevant: new Set(relevant) };
}

function readOwn<T>(beginning: string): T[] {
  const files = readdirSync(OWN).filter((file) => file.startsWith(beginning));
  return files.sort().map((file) => JSON.parse(readFileSync(new URL(file, OWN), 'utf8')) as T);
}

function place(i: number): string {
  return String(i).padStart(8, '0');
}
