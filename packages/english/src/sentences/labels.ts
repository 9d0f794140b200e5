/** `OS: NixOS 24.11`, `budget - 120 euro`: a name and its value. */

import { phraseList, wordSet } from '../words/sets.ts';
import { startsWith } from './phrases.ts';
import { isWord, type Token } from './tokens.ts';

const LONGEST_LABEL = 5;
/** They announce a sentence, or are part of one. */
const NO_LABEL = wordSet(
  'my our you your it this that is are was were me myself intro introduction update edit note ps fyi btw correction remember question q context background reminder summary tldr example eg ie thing things following here there please',
);

const CHANGING = phraseList(
  'now | changed to | change to | change it to | switched to | switch to | moved to | went up to | went down to | actually | updated to | upgraded to',
);

export interface LabelledValue {
  readonly label: readonly Token[];
  readonly value: readonly Token[];
}

export function labelledValue(sentence: readonly Token[]): LabelledValue | undefined {
  const at = sentence.findIndex(({ text, space }, i) => i > 0 && (/^[:=]$/.test(text) || (/^(?:-|–|—|->|=>|→)$/.test(text) && space)));
  if (at < 1 || at > LONGEST_LABEL) return undefined;
  const [label, value] = [sentence.slice(0, at), sentence.slice(at + 1)];
  if (!label.every(isWord) || !value.some(isWord) || value[0]?.space === false) return undefined;
  // `Status: I am on leave until May` says it in a sentence, and `update: …` only announces one.
  if (value[0]?.text === 'I' || /^(?:we|my|our)$/.test(value[0]?.lower ?? '')) return undefined;
  const named = label.some(({ tag }) => !['PRON', 'ADP', 'DET', 'CCONJ', 'SCONJ', 'ADV', 'PART'].includes(tag));
  const announces = label.length === 1 && /^(?:upd|changed?|changes)$/.test(label[0]?.lower ?? '');
  return named && !announces && !label.some(({ lower }) => NO_LABEL.has(lower)) ? { label, value: valueIn(value) } : undefined;
}

/** `tone: change to warm, dry didn't land` is `warm`; `vet: now Dr Hale` is `Dr Hale`. */
function valueIn(value: readonly Token[]): readonly Token[] {
  const length = startsWith(value, 0, CHANGING);
  if (length === 0 || length === value.length) return value;
  const comma = value.findIndex(({ text }, i) => i > length && text === ',');
  return value.slice(length, comma === -1 ? undefined : comma);
}
