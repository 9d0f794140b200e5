/** `OS: NixOS 24.11`, `budget - 120 euro`: a name and its value. */

import { isWord, type Token } from './tokens.ts';

const LONGEST_LABEL = 5;

export interface LabelledValue {
  readonly label: readonly Token[];
  readonly value: readonly Token[];
}

export function labelledValue(sentence: readonly Token[]): LabelledValue | undefined {
  const at = sentence.findIndex(({ text, space }, i) => i > 0 && (/^[:=]$/.test(text) || (/^(?:-|–|—|->|=>|→)$/.test(text) && space)));
  if (at < 1 || at > LONGEST_LABEL) return undefined;
  const [label, value] = [sentence.slice(0, at), sentence.slice(at + 1)];
  if (!label.every(isWord) || !value.some(isWord) || value[0]?.space === false) return undefined;
  return label.some(({ lower }) => /^(?:you|your|it|this|that|is|are|was|were)$/.test(lower)) ? undefined : { label, value };
}
