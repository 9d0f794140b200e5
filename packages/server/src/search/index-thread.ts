/** A thread of the search indexes: holds the scopes that fall to it until it is told to drop them. */
import { setImmediate as turn } from 'node:timers/promises';
import { SERVICE_LANE } from '../lanes/current-lane.ts';
import { type Handlers, serveThread, transfer } from '../threads/serve.ts';
import type { IndexQuestions, PlacedHit, Request, ScopeSize, SearchAnswer } from './protocol.ts';
import type { PlacedSegment } from './ranking/appending.ts';
import type { Hit, IndexQuery } from './ranking/index-query.ts';
import type { HeldItem } from './ranking/items.ts';
import { SecondPass } from './ranking/judging/second-pass.ts';
import type { Shortlist } from './ranking/judging/shortlist.ts';
import { PageCache } from './ranking/page-cache.ts';
import type { PagedSearch } from './ranking/paged-search.ts';
import type { SavePlan } from './ranking/saving.ts';
import { ScopeIndex } from './ranking/scope-index.ts';
import { WaitingSearches } from './ranking/waiting-searches.ts';
import { UnusableSegment } from './segments/pages.ts';
import { decodePaged, decodeSegment, encodeSegment } from './segments/segment.ts';
import { SlicedWork, type Steps } from './slices.ts';

/** Of each thread: pages of words that searches read lately. */
const WORD_PAGES_BYTES = 16 * 1024 * 1024;

const scopes = new Map<string, ScopeIndex>();
const plans = new Map<string, SavePlan>();
/** The workspaces of the scopes that are held. */
const workspaceOf = new Map<string, string>();

const sizeOf = ({ size, bytes }: ScopeIndex): ScopeSize => ({ size, bytes });

/** Those that wait for what they asked to be read. */
const searches = new WaitingSearches();
const wordPages = new PageCache(WORD_PAGES_BYTES);

/** Nothing to be read. */
const NOTHING = { pages: [], vectors: [], tokens: [], texts: [] } as const;

const placed = (scope: ScopeIndex, hits: readonly Hit[]): PlacedHit[] =>
  hits.map((hit) => ({ ...hit, ...(scope.held(hit.id) ?? { thread: '', version: 0 }) }));

/** Once the best are known by what is in memory. `from`: the pass before, where the scope changed since. */
function shortlisted(scope: ScopeIndex, name: string, shortlist: Shortlist, query: IndexQuery, from?: SecondPass): SearchAnswer {
  const pass = scope.searcher.beginSecondPass(shortlist, query, from);
  if (pass) return { search: searches.add(name, pass), ...NOTHING, tokens: pass.tokensToRead(), texts: pass.textsToRead() };
  return answered(scope, shortlist, query);
}

const answered = (scope: ScopeIndex, shortlist: Shortlist, query: IndexQuery): SearchAnswer => ({
  hits: placed(scope, scope.searcher.hitsOf(shortlist, query)),
  ...sizeOf(scope),
});

/** Once the pages of words are there. */
function proposed(scope: ScopeIndex, name: string, search: PagedSearch): SearchAnswer {
  const vectors = search.vectorsToRead();
  if (!vectors) return { unusable: 'pages of words are missing' };
  if (vectors.length === 0) return shortlisted(scope, name, search.rank([]), search.query);
  return { search: searches.add(name, search), ...NOTHING, vectors };
}

/** What came of appending: half of it may be there where it is of no use, and whoever asked opens the scope anew. */
function* taken(scope: ScopeIndex, append: () => Steps<void>): Steps<ScopeSize | { unusable: string }> {
  try {
    yield* append();
    return sizeOf(scope);
  } catch (error) {
    if (error instanceof UnusableSegment) return { unusable: error.message };
    throw error;
  }
}

type Answering = { readonly [Op in Request['op']]: (request: Extract<Request, { op: Op }>) => Steps<unknown> };

// biome-ignore-start lint/correctness/useYield: what takes little is done in one step.
const answering: Answering = {
  *open({ scope, profile }) {
    // Anew, whatever was held before.
    const fresh = new ScopeIndex(profile);
    scopes.set(scope, fresh);
    return sizeOf(fresh);
  },
  *upsert(request) {
    const scope = scopes.get(request.scope);
    if (!scope) return undefined;
    yield* scope.upsert(request.items, request.isAnew);
    return sizeOf(scope);
  },
  *reserve({ scope, items, held }) {
    scopes.get(scope)?.reserve(items, held);
    return undefined;
  },
  *append({ scope: name, segmentId, model, pages, gone }) {
    const scope = scopes.get(name);
    if (!scope) return undefined;
    return yield* taken(scope, function* () {
      const segment = decodeSegment(pages);
      if (segment.model !== model) throw new UnusableSegment('it is of another model');
      yield* scope.append(segment, segmentId, gone);
    });
  },
  *appendPaged({ scope: name, segmentId, model, pages, gone }) {
    const scope = scopes.get(name);
    if (!scope) return undefined;
    return yield* taken(scope, function* () {
      const segment = decodePaged(pages);
      if (segment.header.model !== model) throw new UnusableSegment('it is of another model');
      yield* scope.appendPaged(segment, segmentId, gone);
    });
  },
  *leaveAtRest({ scope: name, segments }) {
    const scope = scopes.get(name);
    if (!scope) return undefined;
    const stored: PlacedSegment[] = [];
    const decoded = yield* taken(scope, function* () {
      for (const { id, pages } of segments) {
        const segment = decodePaged(pages);
        stored.push({ id, segment, tags: yield* segment.tagPages() });
        yield;
      }
    });
    const isAtRest = !('unusable' in decoded) && scope.leaveAtRest(stored);
    return { ...sizeOf(scope), isAtRest };
  },
  *compare(request) {
    const scope = scopes.get(request.scope);
    if (!scope) return undefined;
    const listed = new Set(request.listed.map(({ id }) => id));
    yield;
    const gone = scope.idsOfThread(request.thread).filter((id) => !listed.has(id));
    const outdated = scope.storedAmong(gone);
    yield* scope.remove(gone);
    const wanted: string[] = [];
    for (const { id, version } of request.listed) {
      if (scope.held(id)?.version !== version) wanted.push(id);
      yield;
    }
    outdated.push(...scope.storedAmong(wanted));
    return { ...sizeOf(scope), wanted, outdated };
  },
  *remove(request) {
    const scope = scopes.get(request.scope);
    if (!scope) return undefined;
    yield* scope.remove(request.ids);
    return sizeOf(scope);
  },
  *countThread(request) {
    const scope = scopes.get(request.scope);
    return scope && { count: scope.countOfThread(request.thread) };
  },
  *removeThread(request) {
    const scope = scopes.get(request.scope);
    if (!scope) return undefined;
    const ids = scope.idsOfThread(request.thread);
    const wasStored = scope.storedAmong(ids).length > 0;
    yield* scope.remove(ids);
    return { ...sizeOf(scope), wasStored };
  },
  *describe(request) {
    const scope = scopes.get(request.scope);
    if (!scope) return undefined;
    const vectorless = scope.newestVectorless(request.vectorlessLimit);
    const { vectorlessCount, isPaged, speakers } = scope;
    return { ...sizeOf(scope), vectorlessCount, isPaged, vectorless, speakers };
  },
  *vectorless(request) {
    return scopes.get(request.scope)?.oldestVectorless(request.limit);
  },
  *addVectors(request) {
    const scope = scopes.get(request.scope);
    if (!scope) return undefined;
    const atRest: HeldItem[] = [];
    for (const { id, version, vector } of request.vectors) {
      const held = scope.held(id);
      if (held?.version === version && scope.isAtRest(id)) atRest.push(held);
      else scope.setVector(id, version, vector);
      yield;
    }
    return { ...sizeOf(scope), atRest };
  },
  *search(request) {
    const scope = scopes.get(request.scope);
    if (!scope) return undefined;
    yield* scope.prepare(request.query);
    if (!scope.isPaged) return shortlisted(scope, request.scope, scope.searcher.shortlist(request.query), request.query);
    const search = scope.searcher.beginPagedSearch(request.query, wordPages);
    const pages = search.pagesToRead();
    if (pages.length === 0) return proposed(scope, request.scope, search);
    return { search: searches.add(request.scope, search), ...NOTHING, pages };
  },
  *goOn({ scope: name, search: number, pages, vectors, ...read }) {
    const scope = scopes.get(name);
    const search = searches.take(name, number);
    if (!scope || !search) return undefined;
    if (search instanceof SecondPass) {
      // At rest it would have to begin with its words: there what went meanwhile is left out.
      if (scope.isPaged || !scope.searcher.isOutdated(search))
        return answered(scope, scope.searcher.finishSecondPass(search, read), search.query);
      yield* scope.prepare(search.query);
      return shortlisted(scope, name, scope.searcher.shortlist(search.query), search.query, search);
    }
    if (search.isOutdated) return { search: searches.add(name, search), ...NOTHING, vectors: search.vectorsOfCandidates() };
    if (!search.isWaitingForPages) return shortlisted(scope, name, search.rank(vectors), search.query);
    try {
      search.takePages(pages);
    } catch (error) {
      if (error instanceof UnusableSegment) return { unusable: error.message };
      throw error;
    }
    yield;
    yield* scope.prepareFilter(search.query.filter);
    return proposed(scope, name, search);
  },
  *planSave({ scope: name, available, isWhole }) {
    const scope = scopes.get(name);
    const plan = scope && (yield* scope.planSave(available, isWhole || scope.isPaged));
    if (!plan) return undefined;
    plans.set(name, plan);
    return { parts: plan.parts.map(({ length }) => length), kept: plan.kept, partly: plan.partly };
  },
  *encodePart({ scope: name, part, model }) {
    const plan = plans.get(name);
    const scope = scopes.get(name);
    const contents = plan && scope && (yield* scope.planned(plan, part, model));
    if (!contents) return undefined;
    const pages = yield* encodeSegment(contents);
    // Terms that were asked for while slots moved are of other items.
    if (!scopes.get(name)?.isCurrent(plan)) return undefined;
    return transfer(
      pages,
      pages.map(({ bytes }) => bytes.buffer as ArrayBuffer),
    );
  },
  *noteSaved({ scope, segmentIds }) {
    const plan = plans.get(scope);
    if (plan) scopes.get(scope)?.noteSaved(plan, segmentIds);
    plans.delete(scope);
    return undefined;
  },
  *drop({ scope }) {
    scopes.delete(scope);
    plans.delete(scope);
    searches.drop(scope);
    workspaceOf.delete(scope);
    return undefined;
  },
  *gauges() {
    const held = [...scopes.values()];
    const sum = (of: (scope: ScopeIndex) => number) => held.reduce((total, scope) => total + of(scope), 0);
    const pagedScopes = held.filter(({ isPaged }) => isPaged).length;
    return { scopes: scopes.size, pagedScopes, items: sum(({ size }) => size), bytes: sum(({ bytes }) => bytes) };
  },
};
// biome-ignore-end lint/correctness/useYield: as above

/** A search waits for the loading of its own workspace, and for a slice of any other's, and of what is saved. */
function laneOf(request: Request): string {
  if (!('scope' in request)) return SERVICE_LANE;
  if (request.op === 'open') workspaceOf.set(request.scope, request.workspaceId);
  const lane = workspaceOf.get(request.scope) ?? SERVICE_LANE;
  return request.op === 'encodePart' ? `saving ${lane}` : lane;
}

serveThread<IndexQuestions>((_data, thread) => {
  const work = new SlicedWork(async () => {
    await turn();
    thread.receive();
  });
  const inSlices = Object.entries(answering).map(([op, steps]) => [
    op,
    (request: Request) => work.run(laneOf(request), (steps as (request: Request) => Steps<unknown>)(request)),
  ]);
  return Object.fromEntries(inSlices) as Handlers<IndexQuestions>;
});
