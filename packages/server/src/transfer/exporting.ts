/** A workspace as JSON Lines: what others refer to comes before them, and what belongs to something right behind it. */
import { createHash } from 'node:crypto';
import { EXPORT_VERSION, type ExportCounts, type ExportedKind, exportedKinds, type LineType } from '@commonplace/contract/transfer';
import type { Queryable } from '../db/database.ts';
import { notFound } from '../errors.ts';
import { largeWork } from '../lanes/loop-turns.ts';
import {
  countAll,
  findExtraction,
  findWorkspace,
  isThere,
  readAgents,
  readAssertions,
  readContent,
  readDocuments,
  readMemories,
  readMemoryEvents,
  readMessages,
  readPrompts,
  readPromptVersions,
  readSessions,
  readSources,
} from './store/reading.ts';
import { readChunks, readSessionVectors } from './store/vectors.ts';

/** So much is written at once. */
const PIECE_CHARACTERS = 128 * 1024;

const kindOf: Partial<Record<LineType, ExportedKind>> = {
  prompt: 'prompts',
  promptVersion: 'promptVersions',
  document: 'documents',
  agent: 'agents',
  session: 'sessions',
  message: 'messages',
  memory: 'memories',
};

export interface Export {
  readonly workspaceId: string;
  /** Of the vectors that come along; none where it is undefined. */
  readonly model: string | undefined;
  readonly nowMs: number;
}

/** Its lines, some at a time. */
export async function* exportWorkspace(db: Queryable, { workspaceId, model, nowMs }: Export): AsyncGenerator<string, void> {
  const digest = createHash('sha256');
  const counts = Object.fromEntries(exportedKinds.map((kind) => [kind, 0])) as ExportCounts;
  const workspace = await findWorkspace(db, workspaceId);
  if (!workspace) throw notFound('Workspace');
  const header = {
    type: 'header',
    version: EXPORT_VERSION,
    workspace,
    exportedAt: new Date(nowMs).toISOString(),
    counts: await countAll(db, workspaceId),
  };
  let piece = `${JSON.stringify(header)}\n`;
  const give = async () => {
    // Others have their turn between two pieces.
    await largeWork.take();
    const given = piece;
    digest.update(given);
    piece = '';
    return given;
  };
  // The header is out at once: whoever reads it knows how much will come.
  yield give();
  for await (const { type, data } of linesOf(db, workspaceId, model)) {
    const kind = kindOf[type];
    if (kind) counts[kind]++;
    piece += `${JSON.stringify({ type, data })}\n`;
    if (piece.length >= PIECE_CHARACTERS) yield give();
  }
  yield give();
  yield `${JSON.stringify({ type: 'footer', counts, checksum: `sha256:${digest.digest('hex')}` })}\n`;
}

interface ExportedLine {
  readonly type: LineType;
  readonly data: object;
}

type Lines = AsyncGenerator<ExportedLine, void>;

async function* linesOf(db: Queryable, workspaceId: string, model: string | undefined): Lines {
  for await (const page of readPrompts(db, workspaceId)) for (const prompt of page) yield* promptLines(db, workspaceId, prompt);
  for await (const page of readDocuments(db, workspaceId))
    for (const document of page) yield* documentLines(db, workspaceId, document, model);
  for await (const agents of readAgents(db, workspaceId)) {
    for (const agent of agents) {
      yield { type: 'agent', data: agent };
      for await (const sessions of readSessions(db, workspaceId, agent.id))
        for (const session of sessions) yield* sessionLines(db, { workspaceId, sessionId: session.id }, session, model);
    }
  }
}

async function* promptLines(db: Queryable, workspaceId: string, prompt: { id: string }): Lines {
  yield { type: 'prompt', data: prompt };
  let lines = 0;
  for await (const page of readPromptVersions(db, workspaceId, prompt.id)) {
    lines += page.length;
    yield* page.map((data): ExportedLine => ({ type: 'promptVersion', data }));
  }
  yield* endOf('prompt', prompt.id, lines, await isThere(db, 'prompts', workspaceId, prompt.id));
}

async function* documentLines(db: Queryable, workspaceId: string, document: { id: string }, model: string | undefined): Lines {
  const content = await readContent(db, workspaceId, document.id);
  // Deleted since it was listed.
  if (content === undefined) return;
  yield { type: 'document', data: { ...document, content: encoded(content) } };
  let lines = 0;
  if (model !== undefined) {
    for await (const page of readChunks(db, workspaceId, document.id, model)) {
      const chunks = page.map((chunk) => ({ ...chunk, vector: encoded(chunk.vector), tokenCodes: encoded(chunk.tokenCodes) }));
      yield { type: 'documentChunks', data: { documentId: document.id, model, chunks } };
      lines++;
    }
  }
  yield* endOf('document', document.id, lines, await isThere(db, 'documents', workspaceId, document.id));
}

async function* sessionLines(
  db: Queryable,
  place: { workspaceId: string; sessionId: string },
  session: object,
  model: string | undefined,
): Lines {
  yield { type: 'session', data: { ...session, extraction: await findExtraction(db, place) } };
  const { workspaceId, sessionId } = place;
  let lines = 0;
  for await (const line of belongingTo(db, place, model)) {
    lines++;
    yield line;
  }
  yield* endOf('session', sessionId, lines, await isThere(db, 'sessions', workspaceId, sessionId));
}

async function* belongingTo(db: Queryable, place: { workspaceId: string; sessionId: string }, model: string | undefined): Lines {
  const { sessionId } = place;
  const pages: [LineType, AsyncIterable<object[]>][] = [
    ['message', readMessages(db, place)],
    ['memory', readMemories(db, place)],
    ['memoryEvent', readMemoryEvents(db, place)],
    ['assertion', readAssertions(db, place)],
  ];
  for (const [type, read] of pages) for await (const page of read) yield* page.map((data): ExportedLine => ({ type, data }));
  for await (const sources of readSources(db, place)) yield { type: 'memorySources', data: { sessionId, sources } };
  if (model === undefined) return;
  for (const kind of ['message', 'memory'] as const) {
    for await (const page of readSessionVectors(db, place, kind, model)) {
      const vectors = page.map(({ id, vector, tokenCodes }) => ({ id, vector: encoded(vector), tokenCodes: encoded(tokenCodes) }));
      yield { type: 'vectors', data: { sessionId, kind, model, vectors } };
    }
  }
}

function* endOf(of: 'prompt' | 'document' | 'session', id: string, lines: number, isStillThere: boolean): Generator<ExportedLine, void> {
  yield { type: 'end', data: { of, id, lines, ...(!isStillThere && { deleted: true }) } };
}

function encoded(bytes: Uint8Array): string;
function encoded(bytes: Uint8Array | null): string | null;
function encoded(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
