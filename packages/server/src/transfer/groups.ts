/** What is brought in all or not at all: a resource with the lines that belong to it. */
import { basename } from 'node:path';
import {
  type AgentLine,
  type DocumentChunksLine,
  type DocumentLine,
  LARGEST_GROUP_BYTES,
  type LineType,
  type PromptLine,
  type PromptVersionLine,
} from '@commonplace/contract/transfer';
import { invalid } from '../errors.ts';
import { textBytes } from '../quotas/rules.ts';
import { type ImportScope, Reservations } from './import-scope.ts';
import { type ImportedDocument, insertAgent, insertDocument, insertPrompt } from './store/writing.ts';
import { areVectorsOf } from './vector-form.ts';

export interface Group {
  /** Throws where the line can't be taken: then nothing of the group is. */
  add(type: LineType, data: object): Promise<void>;
  /** From now on it is there. */
  finish(): Promise<void>;
  /** Nothing stays of it. */
  abandon(): Promise<void>;
  /** Its import ends here; what was written of it may be left to the next one. */
  leave(): Promise<void>;
}

export async function importAgent(scope: ImportScope, line: AgentLine): Promise<void> {
  const reservations = new Reservations(scope);
  const id = await scope.choose('agents', line.id);
  const { memoryPipeline, ...others } = line.configs;
  const set = Object.entries(others).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const agent = {
    ...line,
    id,
    configs: { memoryPipeline: memoryPipeline ?? false, ...Object.fromEntries(set) },
    // One that was made after the prompts were written is not there.
    promptId: line.promptId === null ? null : ((await scope.find('prompts', line.promptId)) ?? null),
  };
  try {
    await reservations.add({
      bytes: textBytes([agent.name, agent.description, JSON.stringify(agent.configs), JSON.stringify(agent.kbLabels)]),
    });
    await insertAgent(scope.context.db, scope.workspaceId, agent);
    reservations.keep();
  } finally {
    reservations.release();
  }
  scope.remember('agents', line.id, id);
}

/** Held until it is whole, and written at once. */
abstract class HeldGroup implements Group {
  readonly scope: ImportScope;
  #bytes = 0;

  constructor(scope: ImportScope) {
    this.scope = scope;
  }

  abstract add(type: LineType, data: object): Promise<void>;
  abstract write(reservations: Reservations): Promise<void>;

  hold(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > LARGEST_GROUP_BYTES)
      throw invalid('', `It must not exceed ${LARGEST_GROUP_BYTES / 1_000_000} MB with all that belongs to it`);
  }

  async finish(): Promise<void> {
    const reservations = new Reservations(this.scope);
    try {
      await this.write(reservations);
      reservations.keep();
    } finally {
      reservations.release();
    }
  }

  async abandon(): Promise<void> {}
  async leave(): Promise<void> {}
}

export class PromptGroup extends HeldGroup {
  readonly #line: PromptLine;
  readonly #versions: PromptVersionLine[] = [];

  constructor(scope: ImportScope, line: PromptLine) {
    super(scope);
    this.#line = line;
  }

  async add(_type: LineType, data: object): Promise<void> {
    const version = data as PromptVersionLine;
    this.hold(Buffer.byteLength(version.content) + textBytes([JSON.stringify(version.config ?? {}), version.meta ?? '']));
    this.#versions.push(version);
  }

  async write(reservations: Reservations): Promise<void> {
    const { scope } = this;
    if (this.#versions.length === 0) throw invalid('versions', 'A prompt must have at least one version');
    const id = await scope.choose('prompts', this.#line.id);
    const versions = this.#versions.map((version) => ({ ...version, id: scope.ids.inSession(version.id), promptId: id }));
    const bytes = versions.map(({ content, config, labels, meta, commitMessage }) =>
      textBytes([content, JSON.stringify(config ?? {}), JSON.stringify(labels), meta ?? '', commitMessage ?? '']),
    );
    const { name, description } = this.#line;
    await reservations.add({ bytes: bytes.reduce((sum, each) => sum + each, textBytes([name, description])) });
    await insertPrompt(scope.context.db, scope.workspaceId, { ...this.#line, id }, versions);
    scope.remember('prompts', this.#line.id, id);
  }
}

export class DocumentGroup extends HeldGroup {
  readonly #document: Omit<ImportedDocument, 'chunks' | 'model'>;
  readonly #chunks: DocumentChunksLine['chunks'] = [];

  constructor(scope: ImportScope, line: DocumentLine) {
    super(scope);
    this.#document = readDocument(line);
  }

  async add(_type: LineType, data: object): Promise<void> {
    const { model, chunks } = data as DocumentChunksLine;
    const { embedder } = this.scope.context.searcher;
    // Of another model: it is cut and embedded as after an upload.
    if (model !== embedder.model) return;
    for (const chunk of chunks) {
      this.hold(chunk.text.length + (chunk.vector?.length ?? 0) + (chunk.tokenCodes?.length ?? 0));
      if (chunk.position !== this.#chunks.length) throw invalid('chunks', 'Chunks must be in the order of their positions, from 0');
      const isKnown = chunk.vector !== null && areVectorsOf(embedder.dimensions, chunk.vector, chunk.tokenCodes);
      this.#chunks.push(isKnown ? chunk : { ...chunk, vector: null, tokenCodes: null });
    }
  }

  async write(reservations: Reservations): Promise<void> {
    const { scope } = this;
    const { line, bytes } = this.#document;
    const id = await scope.choose('documents', line.id);
    await reservations.add({ documents: 1, bytes: bytes.length + textBytes([line.title, JSON.stringify(line.labels), line.filename]) });
    const document = { ...this.#document, line: { ...line, id }, chunks: this.#chunks, model: scope.context.searcher.embedder.model };
    await insertDocument(scope.context.db, scope.workspaceId, document, scope.nowMs);
  }
}

const contentTypes = { '.md': 'text/markdown', '.txt': 'text/plain' } as const;

function readDocument(line: DocumentLine): Omit<ImportedDocument, 'chunks' | 'model'> {
  const extension = (Object.keys(contentTypes) as (keyof typeof contentTypes)[]).find((ending) =>
    line.filename.toLowerCase().endsWith(ending),
  );
  if (!extension || basename(line.filename.replaceAll('\\', '/')) !== line.filename)
    throw invalid('filename', 'Filename must be that of a .txt or .md file, without a folder');
  const bytes = Buffer.from(line.content, 'base64');
  const labels = [...new Set(line.labels.map((label) => label.trim()))].filter(Boolean);
  if (labels.some((label) => label.startsWith('_'))) throw invalid('labels', 'Labels must not use keys starting with _');
  return { line: { ...line, labels }, bytes, text: decoded(bytes), contentType: contentTypes[extension] };
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('content', 'Content must be valid UTF-8 text');
  }
}
