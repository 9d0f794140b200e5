/** Stands in for a language model that errs in nothing: it says of labelled messages what their labels expect. */
import { batchMessages } from '../packages/server/src/memories/extraction/llm/batches.ts';
import { defaultLimits } from '../packages/server/src/memories/extraction/llm/limits.ts';
import type { ShownData } from '../packages/server/test/llm-endpoint.ts';
import { type Case, type Expected, hasWord, userMessagesOf } from './labelled.ts';

/** What a model answers, as the rules that it is told ask for it. */
export interface ModelAnswer {
  readonly memories: {
    readonly message: number;
    readonly kind: string;
    readonly content: string;
    readonly slot: null;
    readonly until: string | null;
    readonly answers: boolean;
    readonly replaces: readonly number[];
  }[];
  readonly withdrawn: readonly { readonly message: number; readonly memory: number; readonly forgotten: boolean }[];
  readonly forget_all: readonly number[];
}

/** A message of the user in its case. */
interface Place {
  readonly case: Case;
  readonly texts: readonly ShownText[];
  readonly index: number;
}

interface ShownText {
  readonly text: string;
  readonly before: string;
}

const ASKS_TO_FORGET =
  /\b(?:forget|delete|erase|wipe|clear|remove|drop|scrap|lose|scratch|unremember|disregard|don.t (?:keep|remember|store|save))/i;
const MEANS_ALL = /\b(?:everything|all|anything|whole|clean slate|from scratch)\b/i;

/** Answers to requests with one message each, as messages come one after the other. It knows a message by its text and time. */
export function answersFrom(cases: readonly Case[]): (shown: ShownData) => ModelAnswer {
  const places = new Map(cases.flatMap((one) => placesIn(one)));
  return ({ known, messages: [message] }) => {
    const place = places.get(keyOf(message?.time ?? '', message?.text ?? ''));
    if (!place) throw new Error('No case has the message that was shown.');
    return answerTo(place, known);
  };
}

function placesIn(one: Case): [string, Place][] {
  const messages = userMessagesOf(one);
  const texts = messages.map(({ content, before = [] }) => {
    const turn = before.at(-1);
    return { text: content, before: turn?.role === 'assistant' ? turn.content : '' };
  });
  return messages.map((message, index) => {
    const [[shown] = []] = batchMessages([message], defaultLimits);
    return [keyOf(message.createdAt, shown?.content ?? ''), { case: one, texts, index }];
  });
}

/** A time is shown with its weekday before it. */
function keyOf(time: string, text: string): string {
  return `${time.split(' ').at(-1)} ${text}`;
}

function answerTo({ case: one, texts, index }: Place, known: ShownData['known']): ModelAnswer {
  const { text = '', before = '' } = texts[index] ?? {};
  const isSaidHere = (expected: Expected) => placeOf(expected, texts) === index;
  const memories: ModelAnswer['memories'] = one.expect.filter(isSaidHere).map((expected) => ({
    ...emptyMemory,
    kind: expected.kinds[0] ?? 'fact',
    content: expected.text ?? `User ${expected.words.map((word) => word.split('|')[0]).join(' ')}`,
    until: expected.until ?? null,
    answers: expected.words.some((word) => !hasWord(text, word) && hasWord(before, word)),
  }));
  const isTakenBack = (content: string) => (one.absent ?? []).some((word) => hasWord(content, word));
  const gone = known.filter(({ content }) => isTakenBack(content) && takenBackAt(one, texts) === index).map(({ number }) => number);
  const isAsked = ASKS_TO_FORGET.test(text);
  // What is expected of earlier messages is not meant.
  const isAllMeant = isAsked && MEANS_ALL.test(text) && !one.expect.some((expected) => placeOf(expected, texts) < index);
  const [first] = memories;
  if (first && !isAsked) memories[0] = { ...first, replaces: gone };
  const withdrawn = first && !isAsked ? [] : gone.map((memory) => ({ message: 1, memory, forgotten: isAsked }));
  const passing = (one.absent ?? []).flatMap((word) => (index < takenBackAt(one, texts) ? spelledIn(text, word) : []));
  for (const word of passing) memories.push({ ...emptyMemory, content: `User speaks of ${word}` });
  return gone.length > 0 && isAllMeant ? { memories, withdrawn: [], forget_all: [1] } : { memories, withdrawn, forget_all: [] };
}

const emptyMemory = { message: 1, kind: 'fact', slot: null, until: null, answers: false, replaces: [] } as const;

/** The message that says most of it, the last of several; what it answers counts too. */
function placeOf({ words }: Expected, texts: readonly ShownText[]): number {
  const scores = texts.map(({ text, before }) => {
    return words.reduce((sum, word) => sum + (hasWord(text, word) ? 2 : hasWord(before, word) ? 1 : 0), 0);
  });
  return scores.lastIndexOf(Math.max(...scores));
}

/** The first message after the first that asks for it, or else the last one. */
function takenBackAt({ absent = [] }: Case, texts: readonly ShownText[]): number {
  const first = texts.findIndex(({ text }) => absent.some((word) => hasWord(text, word)));
  const asking = texts.findIndex(({ text }, index) => index > first && ASKS_TO_FORGET.test(text));
  return asking < 0 ? texts.length - 1 : asking;
}

function spelledIn(text: string, word: string): string[] {
  return word.split('|').filter((spelling) => hasWord(text, spelling));
}
