/** The thread of the search indexes: holds as many scopes as memory allows; the least recently used make room. */
import { setImmediate as turn } from 'node:timers/promises';
import { SERVICE_LANE } from '../lanes/current-lane.ts';
import { type Handlers, serveThread } from '../threads/serve.ts';
import type { IndexQuestions, IndexThreadData, PlacedId, Request, VersionedItem } from './protocol.ts';
import type { ProfileName } from './ranking/profiles.ts';
import { ScopeIndex } from './ranking/scope-index.ts';
import { SlicedWork, type Steps } from './slices.ts';

interface LoadedScope {
  readonly index: ScopeIndex;
  readonly items: Map<string, { version: number; thread: string }>;
  readonly vectorless: Set<string>;
}

/** In the order of last use. */
const scopes = new Map<string, LoadedScope>();
let pinned: string | undefined;
/** The workspaces of the scopes that are held. */
const workspaceOf = new Map<string, string>();

function findScope(scope: string): LoadedScope | undefined {
  const found = scopes.get(scope);
  if (!found) return undefined;
  scopes.delete(scope);
  scopes.set(scope, found);
  return found;
}

/** Anew, whatever was held before. */
function openScope(scope: string, profile: ProfileName): LoadedScope {
  scopes.delete(scope);
  const fresh: LoadedScope = { index: new ScopeIndex(profile), items: new Map(), vectorless: new Set() };
  scopes.set(scope, fresh);
  return fresh;
}

function* upsert(scope: LoadedScope, items: readonly VersionedItem[]): Steps<void> {
  yield* scope.index.upsert(items);
  for (const { id, version, thread, vector, isRefused } of items) {
    scope.items.set(id, { version, thread });
    // Taken out first, so that the newest come last.
    scope.vectorless.delete(id);
    if (!vector && !isRefused) scope.vectorless.add(id);
  }
}

function* remove(scope: LoadedScope, ids: readonly string[]): Steps<void> {
  yield* scope.index.remove(ids);
  for (const id of ids) {
    scope.items.delete(id);
    scope.vectorless.delete(id);
  }
}

function idsOf(scope: LoadedScope, thread: string): string[] {
  return Array.from(scope.items).flatMap(([id, item]) => (item.thread === thread ? [id] : []));
}

function* addVectors(scope: LoadedScope, vectors: Extract<Request, { op: 'addVectors' }>['vectors']): Steps<void> {
  for (const { id, version, vector } of vectors) {
    // Edited or deleted since: the vector is of a text that is no more.
    if (scope.items.get(id)?.version !== version) continue;
    if (vector) scope.index.setVector(id, vector);
    scope.vectorless.delete(id);
    yield;
  }
}

function placed(scope: LoadedScope, ids: Iterable<string>): PlacedId[] {
  return Array.from(ids, (id) => ({ id, thread: scope.items.get(id)?.thread ?? '' }));
}

function drop(scope: string): void {
  scopes.delete(scope);
  workspaceOf.delete(scope);
}

function makeRoom(keep: string, memoryBytes: number): void {
  let bytes = 0;
  for (const { index } of scopes.values()) bytes += index.bytes;
  for (const [scope, { index }] of scopes) {
    if (bytes <= memoryBytes) return;
    if (scope === keep || (pinned !== undefined && scope.startsWith(pinned))) continue;
    bytes -= index.bytes;
    drop(scope);
  }
}

type Answering = { readonly [Op in Request['op']]: (request: Extract<Request, { op: Op }>) => Steps<ReturnType<IndexQuestions[Op]>> };

// biome-ignore-start lint/correctness/useYield: what takes little is done in one step.
const answering = (memoryBytes: number): Answering => ({
  *open(request) {
    return { size: openScope(request.scope, request.profile).index.size };
  },
  *upsert(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    yield* upsert(scope, request.items);
    makeRoom(request.scope, memoryBytes);
    return { size: scope.index.size };
  },
  *compare(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    const listed = new Map(request.listed.map(({ id, version }) => [id, version]));
    const gone = idsOf(scope, request.thread).filter((id) => !listed.has(id));
    yield* remove(scope, gone);
    return { wanted: request.listed.filter(({ id, version }) => scope.items.get(id)?.version !== version).map(({ id }) => id) };
  },
  *removeThread(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    yield* remove(scope, idsOf(scope, request.thread));
    return { size: scope.index.size };
  },
  *describe(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    const vectorless = placed(scope, [...scope.vectorless].slice(-request.vectorlessLimit));
    return { size: scope.index.size, vectorlessCount: scope.vectorless.size, vectorless, speakers: scope.index.speakers };
  },
  *vectorless(request) {
    const scope = findScope(request.scope);
    return scope && placed(scope, scope.vectorless.values().take(request.limit));
  },
  *addVectors(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    yield* addVectors(scope, request.vectors);
    makeRoom(request.scope, memoryBytes);
    return { size: scope.index.size };
  },
  *search(request) {
    const scope = findScope(request.scope);
    return scope?.index.search(request.query).map((hit) => ({ ...hit, ...(scope.items.get(hit.id) ?? { thread: '', version: 0 }) }));
  },
  *drop(request) {
    drop(request.scope);
    return undefined;
  },
  *pin(request) {
    pinned = request.beginning;
    return undefined;
  },
  *gauges() {
    let bytes = 0;
    let items = 0;
    for (const { index } of scopes.values()) {
      bytes += index.bytes;
      items += index.size;
    }
    return { scopes: scopes.size, items, bytes };
  },
});
// biome-ignore-end lint/correctness/useYield: as above

/** A search waits for the loading of its own workspace, and for a slice of any other's. */
function laneOf(request: Request): string {
  if (!('scope' in request)) return SERVICE_LANE;
  if (request.op === 'open') workspaceOf.set(request.scope, request.workspaceId);
  return workspaceOf.get(request.scope) ?? SERVICE_LANE;
}

serveThread<IndexQuestions, IndexThreadData>(({ memoryBytes }, thread) => {
  const work = new SlicedWork(async () => {
    await turn();
    thread.receive();
  });
  const inSlices = Object.entries(answering(memoryBytes)).map(([op, steps]) => [
    op,
    (request: Request) => work.run(laneOf(request), (steps as (request: Request) => Steps<unknown>)(request)),
  ]);
  return Object.fromEntries(inSlices) as Handlers<IndexQuestions>;
});
