/** The thread of the search indexes: holds as many scopes as memory allows; the least recently used make room. */
import { serveThread } from '../threads/serve.ts';
import type { IndexQuestions, IndexThreadData, PlacedId, Request, VersionedItem } from './protocol.ts';
import type { ProfileName } from './ranking/profiles.ts';
import { ScopeIndex } from './ranking/scope-index.ts';

interface LoadedScope {
  readonly index: ScopeIndex;
  readonly items: Map<string, { version: number; thread: string }>;
  readonly vectorless: Set<string>;
}

/** In the order of last use. */
const scopes = new Map<string, LoadedScope>();
let pinned: string | undefined;

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

function upsert(scope: LoadedScope, items: readonly VersionedItem[]): void {
  scope.index.upsert(items);
  for (const { id, version, thread, vector } of items) {
    scope.items.set(id, { version, thread });
    if (vector) scope.vectorless.delete(id);
    else {
      // Taken out first, so that the newest come last.
      scope.vectorless.delete(id);
      scope.vectorless.add(id);
    }
  }
}

function remove(scope: LoadedScope, ids: readonly string[]): void {
  scope.index.remove(ids);
  for (const id of ids) {
    scope.items.delete(id);
    scope.vectorless.delete(id);
  }
}

function idsOf(scope: LoadedScope, thread: string): string[] {
  return Array.from(scope.items).flatMap(([id, item]) => (item.thread === thread ? [id] : []));
}

function addVectors(scope: LoadedScope, vectors: Extract<Request, { op: 'addVectors' }>['vectors']): void {
  for (const { id, version, vector } of vectors) {
    // Edited or deleted since: the vector is of a text that is no more.
    if (scope.items.get(id)?.version !== version) continue;
    scope.index.setVector(id, vector);
    scope.vectorless.delete(id);
  }
}

function placed(scope: LoadedScope, ids: Iterable<string>): PlacedId[] {
  return Array.from(ids, (id) => ({ id, thread: scope.items.get(id)?.thread ?? '' }));
}

function makeRoom(keep: string, memoryBytes: number): void {
  let bytes = 0;
  for (const { index } of scopes.values()) bytes += index.bytes;
  for (const [scope, { index }] of scopes) {
    if (bytes <= memoryBytes) return;
    if (scope === keep || (pinned !== undefined && scope.startsWith(pinned))) continue;
    bytes -= index.bytes;
    scopes.delete(scope);
  }
}

serveThread<IndexQuestions, IndexThreadData>(({ memoryBytes }) => ({
  open: (request) => ({ size: openScope(request.scope, request.profile).index.size }),
  upsert: (request) => {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    upsert(scope, request.items);
    makeRoom(request.scope, memoryBytes);
    return { size: scope.index.size };
  },
  compare: (request) => {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    const listed = new Map(request.listed.map(({ id, version }) => [id, version]));
    remove(
      scope,
      idsOf(scope, request.thread).filter((id) => !listed.has(id)),
    );
    return { wanted: request.listed.filter(({ id, version }) => scope.items.get(id)?.version !== version).map(({ id }) => id) };
  },
  removeThread: (request) => {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    remove(scope, idsOf(scope, request.thread));
    return { size: scope.index.size };
  },
  describe: (request) => {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    const vectorless = placed(scope, [...scope.vectorless].slice(-request.vectorlessLimit));
    return { size: scope.index.size, vectorlessCount: scope.vectorless.size, vectorless, speakers: scope.index.speakers };
  },
  vectorless: (request) => {
    const scope = findScope(request.scope);
    return scope && placed(scope, scope.vectorless.values().take(request.limit));
  },
  addVectors: (request) => {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    addVectors(scope, request.vectors);
    makeRoom(request.scope, memoryBytes);
    return { size: scope.index.size };
  },
  search: (request) => {
    const scope = findScope(request.scope);
    return scope?.index.search(request.query).map((hit) => ({ ...hit, thread: scope.items.get(hit.id)?.thread ?? '' }));
  },
  drop: (request) => {
    scopes.delete(request.scope);
    return undefined;
  },
  pin: (request) => {
    pinned = request.beginning;
    return undefined;
  },
  gauges: () => {
    let bytes = 0;
    let items = 0;
    for (const { index } of scopes.values()) {
      bytes += index.bytes;
      items += index.size;
    }
    return { scopes: scopes.size, items, bytes };
  },
}));
