/** A thread of the search indexes: holds the scopes that fall to it until it is told to drop them. */
import { setImmediate as turn } from 'node:timers/promises';
import { SERVICE_LANE } from '../lanes/current-lane.ts';
import { type Handlers, serveThread, transfer } from '../threads/serve.ts';
import type { IndexQuestions, Request, ScopeSize } from './protocol.ts';
import type { SavePlan } from './ranking/saving.ts';
import { ScopeIndex } from './ranking/scope-index.ts';
import { UnusableSegment } from './segments/pages.ts';
import { decodeSegment, encodeSegment } from './segments/segment.ts';
import { SlicedWork, type Steps } from './slices.ts';

const scopes = new Map<string, ScopeIndex>();
const plans = new Map<string, SavePlan>();
/** The workspaces of the scopes that are held. */
const workspaceOf = new Map<string, string>();

const sizeOf = ({ size, bytes }: ScopeIndex): ScopeSize => ({ size, bytes });

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
    yield* scope.upsert(request.items);
    return sizeOf(scope);
  },
  *reserve({ scope, items, entries }) {
    scopes.get(scope)?.reserve(items, entries);
    return undefined;
  },
  *append({ scope: name, segmentId, model, pages }) {
    const scope = scopes.get(name);
    if (!scope) return undefined;
    try {
      const segment = decodeSegment(pages);
      if (segment.model !== model) return { unusable: 'it is of another model' };
      yield* scope.append(segment, segmentId);
      return sizeOf(scope);
    } catch (error) {
      // Half of it may be there: whoever asked opens the scope anew.
      if (error instanceof UnusableSegment) return { unusable: error.message };
      throw error;
    }
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
    return { ...sizeOf(scope), vectorlessCount: scope.vectorlessCount, vectorless, speakers: scope.speakers };
  },
  *vectorless(request) {
    return scopes.get(request.scope)?.oldestVectorless(request.limit);
  },
  *addVectors(request) {
    const scope = scopes.get(request.scope);
    if (!scope) return undefined;
    for (const { id, version, vector } of request.vectors) {
      scope.setVector(id, version, vector);
      yield;
    }
    return sizeOf(scope);
  },
  *search(request) {
    const scope = scopes.get(request.scope);
    if (!scope) return undefined;
    yield* scope.prepare();
    return scope.search(request.query).map((hit) => ({ ...hit, ...(scope.held(hit.id) ?? { thread: '', version: 0 }) }));
  },
  *planSave({ scope: name, available }) {
    const scope = scopes.get(name);
    if (!scope) return undefined;
    const plan = yield* scope.planSave(available);
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
    workspaceOf.delete(scope);
    return undefined;
  },
  *gauges() {
    const held = [...scopes.values()];
    const sum = (of: (scope: ScopeIndex) => number) => held.reduce((total, scope) => total + of(scope), 0);
    return { scopes: scopes.size, items: sum(({ size }) => size), bytes: sum(({ bytes }) => bytes) };
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
