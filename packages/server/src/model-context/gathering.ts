/** Finds what may go into a context: no more is read than can go in, and never a whole session. */
import type { ContextPart, ContextRequest, OmittedPiece } from '@commonplace/contract/contexts';
import { MemoryKind } from '@commonplace/contract/memories';
import { requireAgent } from '../agents/store.ts';
import type { Context } from '../context.ts';
import type { Queryable } from '../db/database.ts';
import { chunkPrefix, searchDocuments } from '../documents/search.ts';
import { rankMemories } from '../memories/search.ts';
import { personLabelOf } from '../memories/store/people.ts';
import { rankMessages } from '../messages/search.ts';
import { requireSession } from '../sessions/store.ts';
import type { ChunkCandidate, MemoryCandidate, MessageCandidate, PackingTask, PromptCandidate, SummaryCandidate } from './candidates.ts';
import { findLabelledSessions, findPresentSessions, orderByNewestMessage } from './person-sessions.ts';
import {
  findLatestUserText,
  findMemoryCauses,
  findRepeatedCauses,
  type ItemPlace,
  listLatestMessages,
  listMemories,
  listMessagesAround,
  listNewestMemories,
  listSummaries,
  readTexts,
} from './store.ts';
import { TOKENS_AROUND_MESSAGE } from './units.ts';
import { type MessageScores, valueOfMessage } from './weights.ts';

/** Of a person: the sessions last active, and of those the ones whose messages are newest. */
const SESSIONS_LOOKED_AT = 200;
const SESSIONS_READ = 8;
const LONGEST_QUERY = 10_000;
/** Bytes that a token can be, generously, and what is read for one context at most. */
const BYTES_OF_TOKEN = 6;
const MOST_BYTES_READ = 4_000_000;
/** A message is at least so many tokens, with what stands around it. */
const TOKENS_OF_MESSAGE = 8;
const MOST_LATEST = 10_000;
const FEWEST_LATEST = 30;
/** How far back in a session the latest message of the user is looked for. */
const MESSAGES_LOOKED_AT = 1_000;
const NEWEST_MEMORIES = 20;
/** Summaries come by their session. */
const searchedKinds = MemoryKind.options.filter((kind) => kind !== 'summary');

export interface ContextPlace {
  readonly workspaceId: string;
  readonly agentId: string;
  /** One session, or all that have these labels. */
  readonly sessionId?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Of those with the labels also the ones that are archived. */
  readonly includeArchived?: boolean;
}

export interface Parts {
  /** What the caller may read, and what of it goes in. */
  readonly readable: readonly ContextPart[];
  readonly included: readonly ContextPart[];
}

type Reach = Pick<Context, 'searcher' | 'prompts'> & { readonly db: Queryable };

export async function gatherCandidates(
  reach: Reach,
  place: ContextPlace,
  request: ContextRequest,
  parts: Parts,
  nowMs: number,
): Promise<PackingTask> {
  const { db } = reach;
  const { workspaceId, agentId } = place;
  const { tokenBudget, tokenizer } = request;
  const session =
    place.sessionId === undefined ? undefined : await requireSession(db, { workspaceId, agentId, sessionId: place.sessionId });
  const sessions = session ? [session.id] : await findSessions(db, place);
  const agent = await requireAgent(db, workspaceId, agentId);
  const includes = (part: ContextPart) => parts.included.includes(part);
  const mostBytes = Math.min(tokenBudget * BYTES_OF_TOKEN, MOST_BYTES_READ);
  const saidLast = async () =>
    parts.readable.includes('messages')
      ? findLatestUserText(db, workspaceId, sessions, { messages: MESSAGES_LOOKED_AT, characters: LONGEST_QUERY })
      : undefined;
  const query = request.query ?? (await saidLast())?.trim();
  const isOfPerson = agent.configs.memorySubject !== undefined;
  // What a person said in another session is remembered there, and counts here.
  const personLabel = session && personLabelOf({ configs: agent.configs, labels: session.labels });
  const memoryPlace = personLabel
    ? { workspaceId, agentId, labels: Object.fromEntries([personLabel]), includeArchived: session.status === 'archived' }
    : place;
  const asked: Asked = { reach, place, memoryPlace, sessions, query: query || undefined, isOfPerson, tokenBudget, mostBytes, nowMs };
  const [prompt, summaries, memories, chunks, messages] = await Promise.all([
    includes('prompt') && agent.promptId ? renderPrompt(reach, workspaceId, agent.promptId, request) : undefined,
    includes('summary') ? findSummaries(asked) : [],
    includes('memories') ? findMemories(asked) : [],
    includes('knowledge') ? findChunks(asked, agent.kbLabels) : [],
    includes('messages') ? findMessages(asked) : { latest: [], found: [], unread: [] },
  ]);
  const task = { tokenBudget, tokenizer, explain: request.explain ?? false, prompt, summaries, memories, chunks, ...messages };
  return withoutDeleted(db, place, task);
}

/** A session that is deleted is gone at once, and its rows a little later: some may have been read in between. */
async function withoutDeleted(db: Queryable, place: ContextPlace, task: PackingTask): Promise<PackingTask> {
  const { workspaceId, agentId, sessionId } = place;
  await requireAgent(db, workspaceId, agentId);
  if (sessionId !== undefined) await requireSession(db, { workspaceId, agentId, sessionId });
  const { summaries, memories, latest, found, unread } = task;
  const ids = new Set([summaries, memories, latest, found, unread].flat().flatMap((candidate) => candidate.sessionId ?? []));
  const present = new Set(await findPresentSessions(db, place, [...ids]));
  const isThere = (candidate: { readonly sessionId?: string | undefined }) => present.has(candidate.sessionId ?? '');
  return {
    ...task,
    summaries: summaries.filter(isThere),
    memories: memories.filter(isThere),
    latest: latest.filter(isThere),
    found: found.filter(isThere),
    unread: unread.filter(isThere),
  };
}

async function findSessions(
  db: Queryable,
  { workspaceId, agentId, labels = {}, includeArchived = false }: ContextPlace,
): Promise<string[]> {
  const labelled = await findLabelledSessions(db, { workspaceId, agentId, includeArchived }, labels, SESSIONS_LOOKED_AT);
  return orderByNewestMessage(db, workspaceId, labelled, SESSIONS_READ);
}

interface Asked {
  readonly reach: Reach;
  readonly place: ContextPlace;
  /** Where memories are looked for: of a session whose person is known, in all sessions of that person. */
  readonly memoryPlace: ContextPlace;
  readonly sessions: readonly string[];
  readonly query: string | undefined;
  /** Whether sessions share memories. */
  readonly isOfPerson: boolean;
  readonly tokenBudget: number;
  readonly mostBytes: number;
  readonly nowMs: number;
}

async function renderPrompt(
  { prompts, db }: Reach,
  workspaceId: string,
  promptId: string,
  { version, variables }: ContextRequest,
): Promise<PromptCandidate | undefined> {
  const rendered = await prompts.render(db, { workspaceId, promptId }, version || undefined, variables);
  if (!rendered) return undefined;
  const messages = rendered.messages ?? [{ role: 'system', content: rendered.text ?? '' }];
  return { id: rendered.promptVersionId, messages };
}

async function findSummaries({ reach: { db }, place, sessions, mostBytes, nowMs }: Asked): Promise<SummaryCandidate[]> {
  const found = await listSummaries(db, place.workspaceId, sessions, mostBytes, nowMs);
  const causes = await findMemoryCauses(db, place.workspaceId, found);
  return found.map(({ id, sessionId, content, createdAt }) => ({ id, sessionId, text: content, createdAt, causes: causes.get(id) ?? [] }));
}

/** How many to look for: as many as could go in, were they alone. */
function limitBy(tokenBudget: number, tokensOfOne: number, most: number): number {
  return Math.max(10, Math.min(Math.ceil(tokenBudget / tokensOfOne), most));
}

async function findMemories(asked: Asked): Promise<MemoryCandidate[]> {
  const { reach, memoryPlace, query, tokenBudget, mostBytes, nowMs } = asked;
  const { db, searcher } = reach;
  const { workspaceId } = memoryPlace;
  if (query === undefined) {
    const sessions = memoryPlace.sessionId === undefined ? await findSessions(db, memoryPlace) : asked.sessions;
    const newest = await listNewestMemories(db, workspaceId, sessions, mostBytes, NEWEST_MEMORIES, nowMs);
    return withCauses(asked, newest);
  }
  const { labels, includeArchived } = memoryPlace;
  const search = { query, limit: limitBy(tokenBudget, 80, 100), kinds: searchedKinds, labels, includeArchived };
  const hits = await rankMemories(db, searcher, memoryPlace, search, nowMs);
  const scoreOf = new Map(hits.map(({ id, score }) => [id, score]));
  const rows = (await listMemories(db, workspaceId, hits)).map((row) => ({ ...row, score: scoreOf.get(row.id) ?? 0 }));
  return withCauses(asked, await withContents(asked, 'memories', rows.sort(byValue)));
}

async function withCauses(
  { reach: { db }, place: { workspaceId }, isOfPerson }: Asked,
  memories: readonly (Omit<MemoryCandidate, 'text' | 'causes'> & { readonly content: string })[],
): Promise<MemoryCandidate[]> {
  const [causes, repeated] = await Promise.all([
    findMemoryCauses(db, workspaceId, memories),
    isOfPerson ? findRepeatedCauses(db, workspaceId, memories) : new Map<string, string[][]>(),
  ]);
  return memories.map(({ id, sessionId, kind, content, createdAt, score }) => {
    return { id, sessionId, kind, text: content, createdAt, score, causes: [...(causes.get(id) ?? []), ...(repeated.get(id) ?? [])] };
  });
}

async function findChunks(
  { reach, place, query, tokenBudget }: Asked,
  kbLabels: Readonly<Record<string, string>>,
): Promise<ChunkCandidate[]> {
  if (query === undefined) return [];
  const search = { query, limit: limitBy(tokenBudget, 150, 100) };
  const hits = await searchDocuments(reach.db, reach.searcher, place.workspaceId, search, kbLabels);
  return hits.map(({ chunkId, documentId, title, heading, text, score }) => ({
    id: chunkId,
    documentId,
    title,
    shownTitle: heading === title || heading.startsWith(`${title} ›`) ? heading : chunkPrefix({ title, heading }),
    text,
    score,
  }));
}

async function findMessages(asked: Asked): Promise<Pick<PackingTask, 'latest' | 'found' | 'unread'>> {
  const { reach, place, sessions, tokenBudget, mostBytes } = asked;
  const tail = {
    messages: Math.min(FEWEST_LATEST + Math.ceil(tokenBudget / TOKENS_OF_MESSAGE), MOST_LATEST),
    bytes: mostBytes,
    bytesAroundMessage: TOKENS_AROUND_MESSAGE * BYTES_OF_TOKEN,
  };
  const [rows, { scored, unread }] = await Promise.all([
    listLatestMessages(reach.db, place.workspaceId, sessions, tail),
    findBearing(asked),
  ]);
  const scoredById = new Map(scored.map((message) => [message.id, message]));
  const latest = rows.map(({ content, ...message }) => scoredById.get(message.id) ?? { ...message, text: content });
  const latestIds = new Set(latest.map(({ id }) => id));
  return { latest, found: scored, unread: unread.filter(({ id }) => !latestIds.has(id)) };
}

/** The messages that bear on the query, and those beside them. */
async function findBearing(asked: Asked): Promise<{ scored: MessageCandidate[]; unread: OmittedPiece[] }> {
  const { reach, place, query, tokenBudget, mostBytes } = asked;
  if (query === undefined) return { scored: [], unread: [] };
  const { labels, includeArchived } = place;
  const search = { query, limit: limitBy(tokenBudget, 30, 100), labels, includeArchived };
  const hits = await rankMessages(reach.db, reach.searcher, place, search);
  const hitOf = new Map(hits.map((hit) => [hit.id, hit]));
  const around = await listMessagesAround(reach.db, place.workspaceId, hits);
  const neighbourScoreOf = new Map<string, number>();
  for (const { id, before, after } of around) {
    for (const neighbour of [before, after]) {
      if (neighbour !== null) neighbourScoreOf.set(neighbour, Math.max(neighbourScoreOf.get(neighbour) ?? 0, hitOf.get(id)?.score ?? 0));
    }
  }
  const ranked = around
    .map(({ before, after, ...message }) => {
      return { ...message, score: hitOf.get(message.id)?.score, neighbourScore: neighbourScoreOf.get(message.id) };
    })
    .sort(byValue);
  const read = await withContents(asked, 'messages', ranked);
  return {
    scored: read.map(({ bytes: _, content, ...message }) => ({ ...message, text: content })),
    unread: ranked.flatMap(({ id, sessionId, role, createdAt, bytes, score }): OmittedPiece[] =>
      Number(bytes) > mostBytes && score !== undefined
        ? [{ type: 'message', id, sessionId, role, createdAt, text: '', score, reason: 'too_large' }]
        : [],
    ),
  };
}

/** As they will be chosen: what is read is what has a chance. */
function byValue(one: ItemPlace & MessageScores, other: ItemPlace & MessageScores): number {
  return valueOfMessage(other) - valueOfMessage(one) || (one.id < other.id ? -1 : 1);
}

/** The first of them, as many as `mostBytes` hold. Short texts came along; the others are read now. */
async function withContents<Row extends ItemPlace & { readonly bytes: number; readonly content: string | null }>(
  { reach: { db }, place: { workspaceId }, mostBytes }: Asked,
  table: 'messages' | 'memories',
  ranked: readonly Row[],
): Promise<(Row & { readonly content: string })[]> {
  let bytes = 0;
  const taken = ranked
    .filter((row) => Number(row.bytes) <= mostBytes)
    .filter((row) => {
      bytes += Number(row.bytes);
      return bytes <= mostBytes;
    });
  const long = await readTexts(
    db,
    workspaceId,
    table,
    taken.filter(({ content }) => content === null),
  );
  const textOf = new Map(long.map(({ id, content }) => [id, content]));
  return taken.flatMap((row) => {
    const content = row.content ?? textOf.get(row.id);
    return content === undefined ? [] : [{ ...row, content }];
  });
}
