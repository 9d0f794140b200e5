/** Finds what may go into a context: no more is read than can go in, and never a whole session. */
import type { ContextPart, ContextRequest, OmittedPiece } from '@commonplace/contract/contexts';
import { MemoryKind } from '@commonplace/contract/memories';
import { requireAgent } from '../agents/store.ts';
import type { Context } from '../context.ts';
import type { Queryable } from '../db/database.ts';
import { chunkPrefix, searchDocuments } from '../documents/search.ts';
import { searchMemories } from '../memories/search.ts';
import { rankMessages } from '../messages/search.ts';
import { requireSession } from '../sessions/store.ts';
import type { ChunkCandidate, MemoryCandidate, MessageCandidate, PackingTask, PromptCandidate, SummaryCandidate } from './candidates.ts';
import {
  findLabelledSessions,
  findLatestUserText,
  findMemoryOrigins,
  findNeighbours,
  listLatestMessages,
  listNewestMemories,
  listSummaries,
  orderByNewestMessage,
  readMessages,
  type SizedMessage,
  sizeMessages,
} from './store.ts';

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
const NEWEST_MEMORIES = 20;
/** Summaries come by their session. */
const searchedKinds = MemoryKind.options.filter((kind) => kind !== 'summary');

export interface ContextPlace {
  readonly workspaceId: string;
  readonly agentId: string;
  /** One session, or all that have these labels. */
  readonly sessionId?: string;
  readonly labels?: Readonly<Record<string, string>>;
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
  const sessions = await sessionsAt(db, place);
  const agent = await requireAgent(db, workspaceId, agentId);
  const includes = (part: ContextPart) => parts.included.includes(part);
  const mostBytes = Math.min(tokenBudget * BYTES_OF_TOKEN, MOST_BYTES_READ);
  const sized = parts.readable.includes('messages')
    ? await listLatestMessages(db, workspaceId, sessions, Math.min(FEWEST_LATEST + Math.ceil(tokenBudget / TOKENS_OF_MESSAGE), MOST_LATEST))
    : [];
  const query = request.query ?? (await findLatestUserText(db, workspaceId, sized, LONGEST_QUERY))?.trim();
  const asked: Asked = { reach, place, sessions, query: query || undefined, tokenBudget, mostBytes, nowMs };
  const [prompt, summaries, memories, chunks, messages] = await Promise.all([
    includes('prompt') && agent.promptId ? renderPrompt(reach, workspaceId, agent.promptId, request) : undefined,
    includes('summary') ? findSummaries(asked) : [],
    includes('memories') ? findMemories(asked) : [],
    includes('knowledge') ? findChunks(asked, agent.kbLabels) : [],
    includes('messages') ? findMessages(asked, sized) : { latest: [], found: [], unread: [] },
  ]);
  return { tokenBudget, tokenizer, explain: request.explain ?? false, prompt, summaries, memories, chunks, ...messages };
}

async function sessionsAt(db: Queryable, { workspaceId, agentId, sessionId, labels = {} }: ContextPlace): Promise<string[]> {
  if (sessionId !== undefined) {
    await requireSession(db, { workspaceId, agentId, sessionId });
    return [sessionId];
  }
  const labelled = await findLabelledSessions(db, { workspaceId, agentId }, labels, SESSIONS_LOOKED_AT);
  return orderByNewestMessage(db, workspaceId, labelled, SESSIONS_READ);
}

interface Asked {
  readonly reach: Reach;
  readonly place: ContextPlace;
  readonly sessions: readonly string[];
  readonly query: string | undefined;
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
  return found.map(({ id, sessionId, content, createdAt }) => ({ id, sessionId, text: content, createdAt }));
}

/** How many to look for: as many as could go in, were they alone. */
function limitBy(tokenBudget: number, tokensOfOne: number, most: number): number {
  return Math.max(10, Math.min(Math.ceil(tokenBudget / tokensOfOne), most));
}

async function findMemories({ reach, place, sessions, query, tokenBudget, mostBytes, nowMs }: Asked): Promise<MemoryCandidate[]> {
  const { db, searcher } = reach;
  const { workspaceId } = place;
  const hits =
    query === undefined
      ? (await listNewestMemories(db, workspaceId, sessions, mostBytes, NEWEST_MEMORIES, nowMs)).map(newestMemory)
      : await searchMemories(
          db,
          searcher,
          place,
          { query, limit: limitBy(tokenBudget, 80, 100), kinds: searchedKinds, labels: place.labels },
          nowMs,
        );
  const origins = await findMemoryOrigins(db, workspaceId, hits);
  return hits.flatMap(({ id, sessionId, kind, text, score }) => {
    const origin = origins.get(id);
    return origin && text.length <= mostBytes ? [{ id, sessionId, kind, text, score, ...origin }] : [];
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
    shownTitle: chunkPrefix({ title, heading }),
    text,
    score,
  }));
}

async function findMessages(asked: Asked, sized: readonly SizedMessage[]): Promise<Pick<PackingTask, 'latest' | 'found' | 'unread'>> {
  const { reach, place, query, tokenBudget, mostBytes } = asked;
  const { workspaceId } = place;
  const hits =
    query === undefined
      ? []
      : await rankMessages(reach.db, reach.searcher, place, { query, limit: limitBy(tokenBudget, 30, 100), labels: place.labels });
  const around = await findNeighbours(reach.db, workspaceId, hits);
  const scoreOf = new Map(hits.map(({ id, score }) => [id, score]));
  const neighbourScoreOf = new Map<string, number>();
  const sessionOf = new Map(hits.map(({ id, sessionId }) => [id, sessionId]));
  for (const { id, sessionId, before, after } of around) {
    for (const neighbour of [before, after]) {
      if (neighbour === null) continue;
      sessionOf.set(neighbour, sessionId);
      neighbourScoreOf.set(neighbour, Math.max(neighbourScoreOf.get(neighbour) ?? 0, scoreOf.get(id) ?? 0));
    }
  }
  const latest = takeBytes(sized, mostBytes);
  const latestIds = new Set(latest.map(({ id }) => id));
  const others = [...sessionOf].flatMap(([id, sessionId]) => (latestIds.has(id) ? [] : [{ id, sessionId }]));
  const worthOf = ({ id }: { id: string }) => Math.max(scoreOf.get(id) ?? 0, neighbourScoreOf.get(id) ?? 0);
  const ranked = (await sizeMessages(reach.db, workspaceId, others)).sort((a, b) => worthOf(b) - worthOf(a) || (a.id < b.id ? -1 : 1));
  const small = ranked.filter(({ bytes }) => bytes <= mostBytes);
  const read = await readMessages(reach.db, workspaceId, [...latest, ...takeBytes(small, mostBytes)]);
  const candidates = new Map(
    read.map(({ content: text, ...message }): [string, MessageCandidate] => [
      message.id,
      { ...message, text, score: scoreOf.get(message.id), neighbourScore: neighbourScoreOf.get(message.id) },
    ]),
  );
  const candidatesOf = (some: readonly { id: string }[]) => some.flatMap(({ id }) => candidates.get(id) ?? []);
  return {
    latest: candidatesOf(latest),
    found: candidatesOf([...latest.filter(({ id }) => scoreOf.has(id) || neighbourScoreOf.has(id)), ...ranked]),
    unread: ranked.flatMap(({ id, sessionId, role, bytes }): OmittedPiece[] => {
      const score = scoreOf.get(id);
      return bytes > mostBytes && score !== undefined
        ? [{ type: 'message', id, sessionId, role, text: '', score, reason: 'too_large' }]
        : [];
    }),
  };
}

/** The first of them, as many as `mostBytes` hold; always one. */
function takeBytes(messages: readonly SizedMessage[], mostBytes: number): SizedMessage[] {
  let bytes = 0;
  const end = messages.findIndex((message, index) => {
    bytes += Number(message.bytes);
    return bytes > mostBytes && index > 0;
  });
  return end === -1 ? [...messages] : messages.slice(0, end);
}

function newestMemory({ id, sessionId, kind, content }: { id: string; sessionId: string; kind: MemoryKind; content: string }) {
  return { id, sessionId, kind, text: content, score: undefined };
}
