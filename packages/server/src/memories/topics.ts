/** What the assertions about a topic come to: who says the same, what takes the place of what, and since when. */
import type { FormerMemory, SessionMemory } from './extraction/consolidation.ts';
import type { ExtractedKind } from './extraction/extractor.ts';
import { fingerprintOf } from './extraction/fingerprint.ts';

/** A message that it takes to say something. */
export interface AssertionSource {
  readonly sessionId: string;
  readonly messageId: string;
}

/** That a message says something, or ends what was said before. It never changes, whatever others say. */
export interface Assertion {
  /** That of the memory, too, where it begins a run. */
  readonly id: string;
  readonly sessionId: string;
  readonly personId: string;
  readonly topicId: string;
  readonly messageId: string;
  /** Its place in the message. */
  readonly ordinal: number;
  readonly saidAt: string;
  /** What it says, to be compared and never to be read. */
  readonly fingerprintDigest: string;
  /** These four are null where it only ends what its fingerprint says. */
  readonly kind: ExtractedKind | null;
  readonly content: string | null;
  readonly slot: string | null;
  readonly extractor: string | null;
  /** Of one that ends: the assertion that stands in the place, if any. It is of the same message and of another topic. */
  readonly successorId: string | null;
  readonly successorTopicId: string | null;
  readonly sources: readonly AssertionSource[];
  readonly expiresAt: string | null;
  /** Of one that ends: the user asked for it to be forgotten. */
  readonly forgotten: boolean;
  /** Somebody changed or deleted its memory: it still counts for what came before, but no memory is made of it. */
  readonly overridden: boolean;
}

/** Where something was said in a topic. */
export type Position = Pick<Assertion, 'id' | 'topicId' | 'messageId' | 'ordinal'>;

/** How a run ended; all are null where it did not, or expired before. */
export interface RunEnd {
  readonly endedAt: string | null;
  /** The message that ended it. */
  readonly endedIn: string | null;
  /** The assertion that stands in its place; null where none does. */
  readonly endedBy: string | null;
  /** The topic of that one, where it is another. */
  readonly endedTopicId: string | null;
}

/** Assertions in a row that say the same: one memory. */
export interface Run extends RunEnd {
  readonly first: Assertion;
  /** The last time that it was said decides. */
  readonly expiresAt: string | null;
}

/** So many steps back a history goes, and so many deleted memories are passed over on the way to one that stands. */
export const MOST_STEPS = 10;

const NOT_ENDED: RunEnd = { endedAt: null, endedIn: null, endedBy: null, endedTopicId: null };

/** Ids of messages sort by their times, those of all sessions too. */
export function comparePositions(a: Position, b: Position): number {
  return compare(a.messageId, b.messageId) || a.ordinal - b.ordinal || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Whether one goes on with what the one right before it says, unless that was ended in between. Nothing but these two decides:
 * so a change reaches no further than its neighbours, however long the topic is.
 */
export function isContinuation(previous: Assertion, next: Assertion): boolean {
  return (
    previous.fingerprintDigest === next.fingerprintDigest &&
    previous.overridden === next.overridden &&
    (previous.expiresAt === null) === (next.expiresAt === null) &&
    !isOver(previous.expiresAt, next.saidAt)
  );
}

function isOver(expiresAt: string | null, at: string): boolean {
  return expiresAt !== null && expiresAt <= at;
}

/** `ending` is the first after the run that ends what it says, if it comes before `next`, which begins the next run. */
export function endOfRun(expiresAt: string | null, ending: Assertion | undefined, next: Assertion | undefined): RunEnd {
  const end = ending ?? next;
  if (!end || isOver(expiresAt, end.saidAt)) return NOT_ENDED;
  const { saidAt: endedAt, messageId: endedIn } = end;
  if (ending) return { endedAt, endedIn, endedBy: ending.successorId, endedTopicId: ending.successorTopicId };
  return { endedAt, endedIn, endedBy: end.id, endedTopicId: null };
}

/** Of one topic, in any order. */
export function runsOf(assertions: readonly Assertion[]): Run[] {
  const runs: Run[] = [];
  let first: Assertion | undefined;
  let last: Assertion | undefined;
  let ending: Assertion | undefined;
  const close = (next?: Assertion) => {
    if (first && last) runs.push({ first, expiresAt: last.expiresAt, ...endOfRun(last.expiresAt, ending, next) });
    ending = undefined;
  };
  for (const assertion of assertions.toSorted(comparePositions)) {
    if (assertion.content === null) {
      if (last?.fingerprintDigest === assertion.fingerprintDigest) ending ??= assertion;
      continue;
    }
    if (!last || ending || !isContinuation(last, assertion)) {
      close(assertion);
      first = assertion;
    }
    last = assertion;
  }
  close();
  return runs;
}

/** Runs of a person: all of them, or all that matters for some. */
export class RunGraph {
  readonly #runs = new Map<string, Run>();
  /** By what stands in their place. */
  readonly #replaced = new Map<string, Run[]>();
  readonly #runIdOf: (assertionId: string) => string | undefined;
  readonly #isKept: (runId: string) => boolean;

  /**
   * `runIdOf` tells the run of an assertion that begins none, and `isKept` which runs have a memory although that was changed by
   * hand.
   */
  constructor(runs: Iterable<Run>, runIdOf: (assertionId: string) => string | undefined, isKept: (runId: string) => boolean) {
    this.#runIdOf = runIdOf;
    this.#isKept = isKept;
    for (const run of runs) this.#runs.set(run.first.id, run);
    for (const run of this.#runs.values()) {
      const successor = this.successorOf(run);
      if (successor) this.#replaced.set(successor.first.id, [...(this.#replaced.get(successor.first.id) ?? []), run]);
    }
  }

  successorOf({ endedBy }: Run): Run | undefined {
    return endedBy === null ? undefined : (this.#runs.get(endedBy) ?? this.#runs.get(this.#runIdOf(endedBy) ?? ''));
  }

  /** Those whose place a run took, in its topic and in others, in the order in which they ended. */
  replacedBy({ first }: Run): Run[] {
    const all = (this.#replaced.get(first.id) ?? []).toSorted(byEnd);
    return [
      ...all.filter((run) => run.first.topicId === first.topicId),
      ...all.filter((run) => run.first.topicId !== first.topicId).slice(-MOST_STEPS),
    ];
  }

  /** Whether it has a memory. */
  isShown({ first }: Run): boolean {
    return !first.overridden || this.#isKept(first.id);
  }

  /** With the session that it belongs to. Undefined where somebody changed or deleted it. */
  memoryOf(run: Run): PersonMemory | undefined {
    const { first, expiresAt, endedAt } = run;
    if (first.overridden || first.content === null || first.kind === null) return undefined;
    return {
      id: first.id,
      sessionId: first.sessionId,
      kind: first.kind,
      content: first.content,
      slot: first.slot,
      fingerprint: fingerprintOf(first.content),
      source: 'extracted',
      extractor: first.extractor ?? '',
      messageIds: first.sources.map(({ messageId }) => messageId),
      causeId: first.messageId,
      createdAt: first.saidAt,
      expiresAt,
      supersededAt: endedAt,
      supersededBy: this.#standingAfter(run),
      history: this.#historyOf(run),
    };
  }

  /** What came before it in its topic, step by step, and what all of these ended in others. */
  #historyOf(run: Run): FormerMemory[] {
    const former: Run[] = [];
    for (let current: Run | undefined = run, steps = 0; current && steps < MOST_STEPS; steps++) {
      const replaced = this.replacedBy(current);
      former.push(...replaced);
      current = replaced.find(({ first }) => first.topicId === run.first.topicId);
    }
    return former.sort(byEnd).flatMap(told).slice(-MOST_STEPS);
  }

  /** A memory that was deleted by hand stands for nothing: what came after it does. */
  #standingAfter(run: Run): string | null {
    let next = this.successorOf(run);
    for (let steps = 0; next && steps < MOST_STEPS; steps++) {
      if (this.isShown(next)) return next.first.id;
      next = this.successorOf(next);
    }
    return null;
  }
}

export type PersonMemory = SessionMemory & { readonly sessionId: string };

function byEnd(a: Run, b: Run): number {
  return compare(a.endedIn ?? '', b.endedIn ?? '') || compare(a.first.id, b.first.id);
}

function told({ first, endedAt }: Run): FormerMemory[] {
  return first.overridden || first.content === null || endedAt === null ? [] : [{ id: first.id, content: first.content, until: endedAt }];
}
