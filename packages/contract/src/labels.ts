import type { z } from 'zod';
import { exceedsLength, isStorable } from './lengths.ts';
import { mapOf, text } from './wire.ts';

export const MOST_LABELS = 32;
export const LONGEST_LABEL_KEY = 64;
export const LONGEST_LABEL_VALUE = 255;

/** What is wrong with a set of labels, in a sentence; undefined when nothing is. */
export function labelComplaint(labels: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(labels);
  if (entries.length > MOST_LABELS) return `Labels must not have more than ${MOST_LABELS} items`;
  for (const [key, value] of entries) {
    if (key === '') return 'Label key is required';
    if (exceedsLength(key, LONGEST_LABEL_KEY)) return `Label key must not exceed ${LONGEST_LABEL_KEY} characters`;
    if (exceedsLength(value, LONGEST_LABEL_VALUE)) return `Label value must not exceed ${LONGEST_LABEL_VALUE} characters`;
    if (!isStorable(key) || !isStorable(value)) return 'Labels must not contain NUL or unpaired surrogate characters';
  }
  return undefined;
}

/** Of a repeated key of a query the first value counts. */
export function firstOf(value: string | readonly string[] | undefined): string {
  return typeof value === 'object' ? (value[0] ?? '') : (value ?? '');
}

/** The labels in a query string: every key but some. */
export function labelsOf(query: Readonly<Record<string, string | string[]>>, exceptKeys: readonly string[]): Record<string, string> {
  const keys = Object.keys(query).filter((key) => key !== '' && !exceptKeys.includes(key));
  return Object.fromEntries(keys.map((key) => [key, firstOf(query[key])]));
}

/** What a schema says of a query in which every key but some is a label. */
export function labelParameters(exceptKeys: readonly string[]) {
  return {
    maxProperties: MOST_LABELS + exceptKeys.length,
    propertyNames: { maxLength: LONGEST_LABEL_KEY },
    additionalProperties: { type: 'string', maxLength: LONGEST_LABEL_VALUE },
  } as const;
}

/** Labels: string to string. */
export const Labels = mapOf(text({ max: LONGEST_LABEL_VALUE }), { noun: 'Label', max: MOST_LABELS, maxKeyLength: LONGEST_LABEL_KEY }).meta({
  examples: [{ customer: '42', channel: 'mail' }],
});
export type Labels = z.infer<typeof Labels>;
