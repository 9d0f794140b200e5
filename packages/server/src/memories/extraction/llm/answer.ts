/** The answer that a model is asked for, found in what it says. */
import { z } from 'zod';
import { ExtractedKind } from '../extractor.ts';

/** Single items are checked later: one that is bad does not spoil the others. */
const Answer = z.object({
  memories: z.array(z.unknown()),
  withdrawn: z.array(z.unknown()).nullish(),
  forget_all: z.array(z.unknown()).nullish().catch(undefined),
});
export type Answer = z.infer<typeof Answer>;

const number = { type: 'integer' };
const boolean = { type: 'boolean' };
const textOrNull = { type: ['string', 'null'] };

function strictObject(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** In the part of JSON Schema that strict servers know: no lengths, no ranges, every property required. */
export const answerSchema = strictObject({
  memories: {
    type: 'array',
    items: strictObject({
      message: number,
      kind: { type: 'string', enum: ExtractedKind.options },
      content: { type: 'string' },
      slot: textOrNull,
      until: textOrNull,
      answers: boolean,
      replaces: { type: 'array', items: number },
    }),
  },
  withdrawn: { type: 'array', items: strictObject({ message: number, memory: { type: ['integer', 'null'] }, forgotten: boolean }) },
  forget_all: { type: 'array', items: number },
});

/** Each place where an object could begin costs a walk through the rest. */
const MAX_PLACES = 100;

/** The first object of the right form, whatever stands around it: a fence, prose, a train of thought. */
export function findAnswer(content: string): Answer | undefined {
  const text = withoutThoughts(content);
  let start = text.indexOf('{');
  for (let places = 0; start >= 0 && places < MAX_PLACES; places++) {
    const end = endOfObject(text, start);
    const value = end < 0 ? undefined : parse(text.slice(start, end));
    const { success, data } = Answer.safeParse(value);
    if (success) return data;
    start = text.indexOf('{', value === undefined ? start + 1 : end);
  }
  return undefined;
}

/** Models that think aloud may draft the answer while they do. Some templates leave out where the thoughts begin. */
function withoutThoughts(content: string): string {
  const end = /^\s*[{`]/.test(content) ? -1 : content.indexOf('</think>');
  return end < 0 ? content : content.slice(end);
}

/** Behind the brace that closes the one at `start`; -1 where none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (quoted && character === '\\') index++;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return index + 1;
  }
  return -1;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
