/** What the assertions about a topic come to: who says the same, what takes the place of what, and since when. */
import type { FormerMemory, SessionMemory } from './consolidation.ts';
import type { ExtractedKind } from './extractor.ts';

/** A message that it takes to say something. */
export interface AssertionSource {
  readonly sessionId: string;
  readonly messageId: string;
}

/** That a message says something, or ends what was said before. It never changes, whatever others say. */
export interface Assertion {
  /** That of the memory, too, where it is the first in a row to say it. */
  readonly id: string;
  readonly sessionId: string;
  readonly personId: string;
  readonly topicId: string;
  readonly messageId: string;
  /** Its place in the message. */
  readonly ordinal: number;
  readonly saidAt: string;
  readonly fingerprint: string;
  /** These four are null where it only ends what its fingerprint says. */
  readonly kind: ExtractedKind | null;
  readonly content: string | null;
  readonly slot: string | null;
  readonly extractor: string | null;
  /** Of one that ends: the assertion that stands in the place, if any. */
  readonly successorId: string | null;
  readonly sources: readonly AssertionSource[];
  readonly expiresAt: string | null;
  /** Somebody changed or deleted its memory: it still counts for what came before, but no memory is made of it. */
  readonly settled: boolean;
}

/** Assertions in a row that say the same: one memory. */
export interface Run {
  readonly first: Assertion;
  readonly all: Assertion[];
  /** The last time that it was said decides. */
  expiresAt: string | null;
  endedAt: string | null;
  /** The assertion that stands in its place; null where none does. */
  endedBy: string | null;
  /** The message that ended it. */
  endedIn: string | null;
}

const MOST_FORMER = 10;

/** Of one topic, in any order. */
export function runsOf(assertions: readonly Assertion[]): Run[] {
  const runs: Run[] = [];
  let current: Run | undefined;
  const end = (by: string | null, { saidAt, messageId }: Assertion) => {
    if (current && !hasExpired(current, saidAt)) Object.assign(current, { endedAt: saidAt, endedBy: by, endedIn: messageId });
    current = undefined;
  };
  for (const assertion of assertions.toSorted(inOrder)) {
    if (assertion.content === null) {
      if (current?.first.fingerprint === assertion.fingerprint) end(assertion.successorId, assertion);
    } else if (current && isSame(current.first, assertion) && !hasExpired(current, assertion.saidAt)) {
      current.all.push(assertion);
      if (assertion.expiresAt !== null && current.expiresAt !== null && assertion.expiresAt > current.expiresAt)
        current.expiresAt = assertion.expiresAt;
    } else {
      end(assertion.id, assertion);
      const { expiresAt } = assertion;
      current = { first: assertion, all: [assertion], expiresAt, endedAt: null, endedBy: null, endedIn: null };
      runs.push(current);
    }
  }
  return runs;
}

function isSame(a: Assertion, b: Assertion): boolean {
  return a.fingerprint === b.fingerprint && a.settled === b.settled;
}

function hasExpired({ expiresAt }: Run, at: string): boolean {
  return expiresAt !== null && expiresAt <= at;
}

/** Ids of messages sort by their times, those of all sessions too. */
function inOrder(a: Assertion, b: Assertion): number {
  return compare(a.messageId, b.messageId) || a.ordinal - b.ordinal || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The memories of some topics of a person. */
export class Topics {
  readonly #runs = new Map<string, Run[]>();
  /** By each of its assertions. */
  readonly #runOf = new Map<string, Run>();
  /** By what stands in their place. */
  readonly #endedBy = new Map<string, Run[]>();

  constructor(assertions: readonly Assertion[]) {
    for (const [topicId, ofTopic] of Map.groupBy(assertions, (assertion) => assertion.topicId)) {
      const runs = runsOf(ofTopic);
      this.#runs.set(topicId, runs);
      for (const run of runs) {
        for (const { id } of run.all) this.#runOf.set(id, run);
        if (run.endedBy !== null) this.#endedBy.set(run.endedBy, [...(this.#endedBy.get(run.endedBy) ?? []), run]);
      }
    }
  }

  runs(topicId: string): readonly Run[] {
    return this.#runs.get(topicId) ?? [];
  }

  runOf(assertionId: string): Run | undefined {
    return this.#runOf.get(assertionId);
  }

  /** Those whose place this one took, in its topic and in others. */
  endedBy(run: Run): Run[] {
    return run.all.flatMap(({ id }) => this.#endedBy.get(id) ?? []);
  }

  /** With the session that each belongs to. `kept` tells which memories are there although they were changed by hand. */
  memories(topicId: string, kept: ReadonlySet<string>): (SessionMemory & { readonly sessionId: string })[] {
    const histories = new Map<Run, readonly FormerMemory[]>();
    return this.runs(topicId).flatMap((run) => {
      const history = this.#historyOf(run, histories);
      histories.set(run, history);
      const { first, expiresAt, endedAt } = run;
      if (first.settled || first.content === null || first.kind === null) return [];
      return {
        id: first.id,
        sessionId: first.sessionId,
        kind: first.kind,
        content: first.content,
        slot: first.slot,
        fingerprint: first.fingerprint,
        source: 'extracted',
        extractor: first.extractor ?? '',
        messageIds: first.sources.map(({ messageId }) => messageId),
        causeId: first.messageId,
        createdAt: first.saidAt,
        expiresAt,
        supersededAt: endedAt,
        supersededBy: this.#standingAfter(run, kept),
        history,
      };
    });
  }

  /** Of those in other topics only what they were themselves, and what came before them there. */
  #historyOf(run: Run, known: ReadonlyMap<Run, readonly FormerMemory[]>): FormerMemory[] {
    const former = this.endedBy(run).flatMap((before) => [...(known.get(before) ?? this.#formerOf(before)), ...told(before)]);
    return former.slice(-MOST_FORMER);
  }

  #formerOf(run: Run): FormerMemory[] {
    const runs = this.runs(run.first.topicId);
    return runs.slice(Math.max(0, runs.indexOf(run) - MOST_FORMER), runs.indexOf(run)).flatMap(told);
  }

  /** A memory that was deleted by hand stands for nothing: what came after it does. */
  #standingAfter(run: Run, kept: ReadonlySet<string>): string | null {
    for (let { endedBy } = run; endedBy !== null; ) {
      const next = this.#runOf.get(endedBy);
      if (!next) return null;
      if (!next.first.settled || kept.has(next.first.id)) return next.first.id;
      endedBy = next.endedBy;
    }
    return null;
  }
}

function told({ first, endedAt }: Run): FormerMemory[] {
  return first.settled || first.content === null || endedAt === null ? [] : [{ id: first.id, content: first.content, until: endedAt }];
}
