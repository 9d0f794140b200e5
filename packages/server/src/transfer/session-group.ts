/** A session on its way in: written a piece at a time where it is long, at once where it is short. */
import type {
  AssertionLine,
  LineType,
  MemoryEventLine,
  MemoryLine,
  MemorySourcesLine,
  MessageLine,
  SessionLine,
  VectorsLine,
} from '@commonplace/contract/transfer';
import { requireAgent } from '../agents/store.ts';
import { UniqueViolation } from '../db/errors.ts';
import { isId, timeOfId } from '../db/ids.ts';
import { conflict, invalid } from '../errors.ts';
import { personIdOf } from '../memories/store/people.ts';
import { textBytes } from '../quotas/rules.ts';
import type { Group } from './groups.ts';
import { type ImportScope, Reservations } from './import-scope.ts';
import {
  type Assertion,
  bytesOf,
  finishSession,
  releaseSession,
  removeStaged,
  type SessionRows,
  type StagedSession,
  writeStaged,
} from './store/staging.ts';
import { areVectorsOf } from './vector-form.ts';

/** So much is held before it is written. */
const MOST_ROWS = 500;
const MOST_BYTES = 1_000_000;
/** Each has its place among all that a person said, which one transaction works out. Of a session with more, the memories stay its own. */
const MOST_ASSERTIONS = 5_000;

type Held = SessionRows & { vectors: SessionRows['vectors'][number][] };

const nothingHeld = (): Held => ({ messages: [], memories: [], events: [], sources: [], vectors: [] });

export class SessionGroup implements Group {
  readonly #scope: ImportScope;
  readonly #line: SessionLine;
  readonly #staged: StagedSession;
  readonly #agentId: string;
  /** Whose its memories are, as the ids of the stream name it and as those here do. */
  readonly #people: ReadonlyMap<string, string>;
  readonly #reservations: Reservations;
  #held = nothingHeld();
  #heldRows = 0;
  #heldBytes = 0;
  #isStaged = false;
  #messages = 0;
  #messageBytes = 0;
  #memories = 0;
  #newestMessageId: string | undefined;
  #hasVectors = false;
  #assertions: Assertion[] = [];
  #saysTooMuch = false;

  private constructor(scope: ImportScope, line: SessionLine, staged: StagedSession, agentId: string, people: ReadonlyMap<string, string>) {
    this.#scope = scope;
    this.#line = line;
    this.#staged = staged;
    this.#agentId = agentId;
    this.#people = people;
    this.#reservations = new Reservations(scope);
  }

  static async begin(scope: ImportScope, line: SessionLine): Promise<SessionGroup> {
    const { workspaceId, owner } = scope;
    const agentId = await scope.find('agents', line.agentId);
    if (agentId === undefined) throw invalid('agentId', 'Its agent is neither in the stream nor in the workspace');
    const sessionId = await scope.choose('sessions', line.id);
    const { configs } = await requireAgent(scope.context.db, workspaceId, agentId);
    const traits = { configs, labels: line.labels };
    const [there, here] = [personIdOf({ ...traits, agentId: line.agentId }), personIdOf({ ...traits, agentId })];
    const people = new Map(there !== null && here !== null ? [[there, here]] : []);
    return new SessionGroup(scope, line, { workspaceId, sessionId, owner }, agentId, people);
  }

  async add(type: LineType, data: object): Promise<void> {
    this.#take(type, data);
    if (this.#heldRows >= MOST_ROWS || this.#heldBytes >= MOST_BYTES) await this.#write();
  }

  async finish(): Promise<void> {
    const { context, nowMs } = this.#scope;
    const { extraction, ...session } = this.#line;
    const { workspaceId, sessionId } = this.#staged;
    const { externalId, title, labels, meta } = session;
    const bytes = textBytes([externalId, title, JSON.stringify(labels), JSON.stringify(meta ?? {})]);
    await this.#reservations.add({ messages: this.#held.messages.length, bytes: bytes + this.#heldQuota() });
    const finished = {
      session: { ...session, id: sessionId, workspaceId, agentId: this.#agentId, meta: this.#withForkHere(meta ?? {}) },
      extraction: extraction ? { ...extraction, personId: extraction.personId && this.#person(extraction.personId) } : null,
      messages: this.#messages,
      messageBytes: this.#messageBytes,
      newestMessageId: this.#newestMessageId,
      memories: this.#memories,
      assertions: this.#assertions,
      hasVectors: this.#hasVectors,
      rows: this.#held,
    };
    await told(finishSession(context.db, this.#staged, this.#isStaged, finished, context.searcher.embedder.model, nowMs));
    this.#reservations.keep();
    this.#scope.remember('sessions', this.#line.id, sessionId);
  }

  async abandon(): Promise<void> {
    this.#reservations.release();
    if (this.#isStaged) await removeStaged(this.#scope.context.db, this.#staged, this.#scope.nowMs, this.#scope.signal);
  }

  async leave(): Promise<void> {
    this.#reservations.release();
    if (this.#isStaged) await releaseSession(this.#scope.context.db, this.#staged);
  }

  #take(type: LineType, data: object): void {
    const { sessionId } = this.#staged;
    const { ids } = this.#scope;
    const here = (id: string) => ids.inSession(id);
    const orNull = (id: string | null) => id && here(id);
    switch (type) {
      case 'message': {
        const message = data as MessageLine;
        requireOrder(message);
        this.#takeMessage({ ...message, id: here(message.id), sessionId, meta: message.meta ?? {} });
        break;
      }
      case 'memory': {
        const memory = data as MemoryLine;
        const { id, supersededBy, meta } = memory;
        this.#hold(
          'memories',
          { ...memory, id: here(id), sessionId, meta: withIdsHere(meta ?? {}, here), supersededBy: orNull(supersededBy) },
          bytesOf(memory),
        );
        this.#memories++;
        break;
      }
      case 'memoryEvent': {
        const event = data as MemoryEventLine;
        const { id, memoryId, messageId, content } = event;
        const named = { id: here(id), memoryId: here(memoryId), messageId: orNull(messageId) };
        this.#hold('events', { ...event, sessionId, ...named }, Buffer.byteLength(content ?? ''));
        break;
      }
      case 'memorySources':
        for (const { messageId, memoryId, causeId } of (data as MemorySourcesLine).sources)
          this.#hold('sources', { messageId: here(messageId), memoryId: here(memoryId), causeId: here(causeId) }, 0);
        break;
      case 'assertion':
        this.#takeAssertion(data as AssertionLine);
        break;
      case 'vectors':
        this.#takeVectors(data as VectorsLine);
    }
  }

  #hold<Name extends 'messages' | 'memories' | 'events' | 'sources'>(name: Name, row: Held[Name][number], bytes: number): void {
    (this.#held[name] as Held[Name][number][]).push(row);
    this.#heldRows++;
    this.#heldBytes += bytes;
  }

  #takeMessage(message: MessageLine): void {
    const bytes = bytesOf(message);
    this.#hold('messages', message, bytes);
    this.#messages++;
    this.#messageBytes += bytes;
    if (this.#newestMessageId === undefined || message.id > this.#newestMessageId) this.#newestMessageId = message.id;
  }

  #takeAssertion(line: AssertionLine): void {
    if (this.#assertions.length >= MOST_ASSERTIONS) this.#saysTooMuch = true;
    if (this.#saysTooMuch) {
      this.#assertions = [];
      return;
    }
    const { ids } = this.#scope;
    const here = (id: string) => ids.inSession(id);
    if (line.kind === 'summary') throw invalid('kind', 'Kind must not be summary');
    this.#assertions.push({
      ...line,
      kind: line.kind,
      id: here(line.id),
      sessionId: this.#staged.sessionId,
      personId: this.#person(line.personId),
      messageId: here(line.messageId),
      successorId: line.successorId && here(line.successorId),
      sources: line.sources.map(({ sessionId, messageId }) => ({ sessionId: this.#session(sessionId), messageId: here(messageId) })),
    });
  }

  /** Of another model, or in another form: they are made here. */
  #takeVectors({ kind, model, vectors }: VectorsLine): void {
    const { embedder } = this.#scope.context.searcher;
    if (model !== embedder.model) return;
    const rows = vectors.flatMap(({ id, vector, tokenCodes }) => {
      if (!areVectorsOf(embedder.dimensions, vector, tokenCodes)) return [];
      const codes = tokenCodes === null ? null : Buffer.from(tokenCodes, 'base64');
      return [{ id: this.#scope.ids.inSession(id), vector: Buffer.from(vector, 'base64'), tokenCodes: codes }];
    });
    if (rows.length === 0) return;
    this.#hasVectors = true;
    this.#held.vectors.push({ kind, rows });
    this.#heldRows += rows.length;
    this.#heldBytes += rows.reduce((sum, { vector, tokenCodes }) => sum + vector.length + (tokenCodes?.length ?? 0), 0);
  }

  async #write(): Promise<void> {
    const { context } = this.#scope;
    await this.#reservations.add({ messages: this.#held.messages.length, bytes: this.#heldQuota() });
    if (!this.#isStaged) await this.#scope.claim(this.#staged);
    this.#isStaged = true;
    await told(writeStaged(context.db, this.#staged, this.#held, context.searcher.embedder.model, this.#scope.nowMs));
    this.#held = nothingHeld();
    this.#heldRows = 0;
    this.#heldBytes = 0;
  }

  /** What was extracted does not count. */
  #heldQuota(): number {
    const { messages, memories, events } = this.#held;
    const counted = [...messages, ...memories.filter(({ source }) => source === 'written')];
    return counted.reduce((sum, row) => sum + bytesOf(row), 0) + textBytes(events.map(({ content }) => content ?? ''));
  }

  #person(id: string): string {
    return this.#people.get(id) ?? this.#scope.ids.person(id);
  }

  #session(id: string): string {
    return id === this.#line.id ? this.#staged.sessionId : this.#scope.ids.candidates(id)[0];
  }

  #withForkHere(meta: unknown): unknown {
    const { forkedFrom } = meta as { forkedFrom?: { sessionId?: unknown; messageId?: unknown } | null };
    if (typeof forkedFrom !== 'object' || forkedFrom === null || typeof forkedFrom.sessionId !== 'string' || !isId(forkedFrom.sessionId))
      return meta;
    const messageId =
      typeof forkedFrom.messageId === 'string' && isId(forkedFrom.messageId) ? this.#scope.ids.inSession(forkedFrom.messageId) : null;
    return { ...(meta as object), forkedFrom: { sessionId: this.#session(forkedFrom.sessionId), messageId } };
  }
}

/** Lists go by the ids of messages, and these by their times. */
function requireOrder({ id, createdAt }: MessageLine): void {
  if (Date.parse(createdAt) < 0) throw invalid('createdAt', 'Created at must not be before 1970');
  if (id[14] !== '7' || timeOfId(id) !== Date.parse(createdAt))
    throw invalid('id', 'Id must be a UUID of version 7 with the time of createdAt');
}

/** The meta of what was extracted names messages and memories; that of anything else is its writer's own. */
function withIdsHere(meta: unknown, here: (id: string) => string): unknown {
  const { source, messageIds, history } = meta as { source?: unknown; messageIds?: unknown; history?: unknown };
  if (source !== 'extraction' || !Array.isArray(messageIds)) return meta;
  const idHere = (id: unknown) => (typeof id === 'string' && isId(id) ? here(id) : id);
  return {
    ...(meta as object),
    messageIds: messageIds.map(idHere),
    ...(Array.isArray(history) && { history: history.map((former) => ({ ...former, id: idHere(former?.id) })) }),
  };
}

async function told<T>(written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    throw error.table === 'sessions'
      ? conflict('Another import has brought in this session meanwhile')
      : conflict('Two of the messages or memories of the session have the same id');
  }
}
