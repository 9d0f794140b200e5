/** Chooses what a request to forget reaches. */

import type { KnownMemory, SourceMessage, Turn } from '../extraction.ts';
import { LEAST_SHARE, type Named, NEARLY, namedBy, shareNamed } from './naming.ts';
import type { Target } from './requests-to-forget.ts';

/** A memory that the message itself made, with the number of its sentence. */
export interface SaidMemory extends KnownMemory {
  readonly sentence: number;
}

export interface Forgotten {
  readonly ids: readonly string[];
  /** All that was said before, known or not. */
  readonly isAll: boolean;
}

/** An idiom where somebody apologised: `forget about it`. */
const APOLOGY = /\b(?:apologi[sz]e|apolog(?:y|ies)|my (?:mistake|bad|fault)|sorry (?:about|for) (?:the|that|my|any|this)|i was wrong)\b/i;

/** What memories a message before says by itself, each in its words. */
export type ReadTurn = (turn: Turn) => readonly string[];

/** `said` in the order in which it was said, `known` newest first. */
export function forgottenBy(
  target: Target,
  message: SourceMessage,
  said: readonly SaidMemory[],
  known: readonly KnownMemory[],
  read: ReadTurn,
): Forgotten {
  if (target.what === 'last') return { ids: lastSaid(target.isFirm, message, said, known, read), isAll: false };
  const held = [...said, ...known];
  if (target.what === 'named') {
    const ids = target.names.flatMap((name) => about(namedBy(name, target.isWide), held));
    // `forget his name` is said of somebody who was just spoken of.
    const isTheirs = ids.length === 0 && target.names.some((name) => /^(?:his|her|their|its)\b/.test(name));
    return { ids: isTheirs ? lastSaid(false, message, said, known, read) : ids, isAll: false };
  }
  if (target.but === undefined) return { ids: said.map(({ id }) => id), isAll: true };
  const kept = new Set(target.but.split(/ (?:and|or) |,/).flatMap((name) => about(namedBy(name, true), held)));
  return { ids: held.flatMap(({ id }) => (kept.has(id) ? [] : [id])), isAll: false };
}

/** All that come closest; those that have its name, in any case. */
function about(named: Named, held: readonly KnownMemory[]): string[] {
  const shares = held.map(({ id, content, slot }) => ({ id, share: shareNamed(named, content, slot) }));
  const most = Math.max(0, ...shares.map(({ share }) => share));
  const least = named.isWide && most >= NEARLY ? NEARLY : most;
  return most < LEAST_SHARE ? [] : shares.filter(({ share }) => share >= least).map(({ id }) => id);
}

/** What the message said right before, else what the user's message before said. */
function lastSaid(
  isFirm: boolean,
  { before }: SourceMessage,
  said: readonly SaidMemory[],
  known: readonly KnownMemory[],
  read: ReadTurn,
): string[] {
  if (said.length > 0) return saidInOneGo(said).map(({ id }) => id);
  const spoken = before?.findLast(({ role }) => role === 'user');
  if (before !== undefined && !spoken) return [];
  const answer = before?.at(-1);
  if (!isFirm && answer?.role === 'assistant' && APOLOGY.test(answer.content)) return [];
  const isTold = known.some(({ saidIn }) => saidIn !== undefined);
  if (spoken) {
    const contents = new Set(read(spoken).map((content) => content.toLowerCase()));
    const ofMessage = known.filter(({ saidIn, content }) => saidIn === spoken.id || contents.has(content.toLowerCase()));
    if (ofMessage.length > 0) return ofMessage.map(({ id }) => id);
    if (!isFirm) return [];
  }
  const newest = known.find(({ saidIn }) => !isTold || saidIn !== undefined);
  return newest ? known.filter((memory) => sourceOf(memory) === sourceOf(newest)).map(({ id }) => id) : [];
}

/** In sentences that follow each other, up to the last. */
function saidInOneGo(said: readonly SaidMemory[]): readonly SaidMemory[] {
  let from = said.length - 1;
  while (from > 0 && (said[from - 1] as SaidMemory).sentence >= (said[from] as SaidMemory).sentence - 1) from--;
  return said.slice(from);
}

/** A ref has the id of its message before a colon. */
function sourceOf({ id, saidIn }: KnownMemory): string {
  return saidIn ?? (id.includes(':') ? id.slice(0, id.lastIndexOf(':')) : id);
}
