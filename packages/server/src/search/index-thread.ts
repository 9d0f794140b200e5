/** The thread of the search indexes: holds as many scopes as memory allows; the least recently used make room. */
import { setImmediate as turn } from 'node:timers/promises';
import { SERVICE_LANE } from '../lanes/current-lane.ts';
import { type Handlers, serveThread } from '../threads/serve.ts';
import type { IndexQuestions, IndexThreadData, Request } from './protocol.ts';
import type { ProfileName } from './ranking/profiles.ts';
import { ScopeIndex } from './ranking/scope-index.ts';
import { SlicedWork, type Steps } from './slices.ts';

/** In the order of last use. */
const scopes = new Map<string, ScopeIndex>();
let pinned: string | undefined;
/** The workspaces of the scopes that are held. */
const workspaceOf = new Map<string, string>();

function findScope(scope: string): ScopeIndex | undefined {
  const found = scopes.get(scope);
  if (!found) return undefined;
  scopes.delete(scope);
  scopes.set(scope, found);
  return found;
}

/** Anew, whatever was held before. */
function openScope(scope: string, profile: ProfileName): ScopeIndex {
  scopes.delete(scope);
  const fresh = new ScopeIndex(profile);
  scopes.set(scope, fresh);
  return fresh;
}

function drop(scope: string): void {
  scopes.delete(scope);
  workspaceOf.delete(scope);
}

function makeRoom(keep: string, memoryBytes: number): void {
  let bytes = 0;
  for (const index of scopes.values()) bytes += index.bytes;
  for (const [scope, index] of scopes) {
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
    return { size: openScope(request.scope, request.profile).size };
  },
  *upsert(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    yield* scope.upsert(request.items);
    makeRoom(request.scope, memoryBytes);
    return { size: scope.size };
  },
  *compare(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    const listed = new Map(request.listed.map(({ id, version }) => [id, version]));
    const gone = scope.idsOfThread(request.thread).filter((id) => !listed.has(id));
    yield* scope.remove(gone);
    return { wanted: request.listed.filter(({ id, version }) => scope.held(id)?.version !== version).map(({ id }) => id) };
  },
  *removeThread(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    yield* scope.remove(scope.idsOfThread(request.thread));
    return { size: scope.size };
  },
  *describe(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    const vectorless = scope.newestVectorless(request.vectorlessLimit);
    return { size: scope.size, vectorlessCount: scope.vectorlessCount, vectorless, speakers: scope.speakers };
  },
  *vectorless(request) {
    const scope = findScope(request.scope);
    return scope?.oldestVectorless(request.limit);
  },
  *addVectors(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    for (const { id, version, vector } of request.vectors) {
      scope.setVector(id, version, vector);
      yield;
    }
    makeRoom(request.scope, memoryBytes);
    return { size: scope.size };
  },
  *search(request) {
    const scope = findScope(request.scope);
    if (!scope) return undefined;
    yield* scope.prepare();
    return scope.search(request.query).map((hit) => ({ ...hit, ...(scope.held(hit.id) ?? { thread: '', version: 0 }) }));
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
    for (const index of scopes.values()) {
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
