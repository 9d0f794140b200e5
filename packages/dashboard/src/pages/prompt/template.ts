/** Placeholders in a text, by the same rule as the service. */

const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}_.-]*)\s*\}\}/gu;

export interface TemplatePart {
  readonly text: string;
  /** Where the part is a placeholder. */
  readonly name?: string;
  /** Where it begins. */
  readonly at: number;
}

export function splitTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), at: end });
    parts.push({ text: match[0], name: match[1] as string, at: match.index });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), at: end });
  return parts;
}

/** In the order of their first use. */
export function variablesIn(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => splitTemplate(text).flatMap(({ name }) => (name === undefined ? [] : [name]))))];
}

export type Values = Readonly<Record<string, string>>;

/** Only what is its own: a variable may be called `constructor`. */
export const givenValue = (values: Values, name: string): string => (Object.hasOwn(values, name) ? (values[name] as string) : '');

/** A value that is empty counts as none: the placeholder stays, and the service would refuse. */
export const isSet = (values: Values, name: string): boolean => givenValue(values, name) !== '';

export interface FilledPart {
  readonly text: string;
  readonly at: number;
  readonly kind: 'plain' | 'filled' | 'unset';
}

export function fillTemplate(text: string, values: Values): FilledPart[] {
  return splitTemplate(text).map(({ text: part, name, at }) => {
    if (name === undefined) return { text: part, at, kind: 'plain' };
    return isSet(values, name) ? { text: givenValue(values, name), at, kind: 'filled' } : { text: part, at, kind: 'unset' };
  });
}
