/** Who extracts: the language model where one is configured, answers and is within the workspace's budget; else the built-in extractor. */
import type { EndedStatement, SpokenMessage, Summary } from '@commonplace/english/summary';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { ExtractionResult, Extractor, KnownMemory, SourceMessage } from './extractor.ts';
import type { LlmExtractor } from './llm/extractor.ts';
import { LlmUnavailable } from './llm/unavailable.ts';

/** The one that is always there. */
export interface AlwaysThere extends Extractor {
  summarize(messages: readonly SpokenMessage[], ended: readonly EndedStatement[]): Promise<Summary | undefined>;
  close(): Promise<void>;
}

export interface LanguageModel {
  readonly extractor: LlmExtractor;
  /** Tokens for each workspace and day; no limit where it is left out. */
  readonly dailyTokens: number | undefined;
}

export class ExtractorSelector {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #builtin: AlwaysThere;
  readonly #model: LanguageModel | undefined;
  #secrets = 0;
  #fallbacks = 0;
  #messages = 0;

  constructor(options: {
    db: Queryable;
    clock: Clock;
    log: Logger;
    builtin: AlwaysThere;
    model: LanguageModel | undefined;
  }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#builtin = options.builtin;
    this.#model = options.model;
  }

  async extract(
    workspaceId: string,
    messages: readonly SourceMessage[],
    known: readonly KnownMemory[],
    signal: AbortSignal,
  ): Promise<{ extraction: ExtractionResult; extractor: string }> {
    const made = (await this.#byModel(workspaceId, messages, known, signal)) ?? {
      extraction: await this.#builtin.extract(messages, known, signal),
      extractor: this.#builtin.name,
    };
    this.#secrets += made.extraction.secrets;
    this.#messages += messages.length;
    return made;
  }

  async summarize(messages: readonly SpokenMessage[], ended: readonly EndedStatement[]): Promise<Summary | undefined> {
    return this.#builtin.summarize(messages, ended);
  }

  gauges(): Record<string, number> {
    return {
      messages_total: this.#messages,
      secrets_total: this.#secrets,
      fallbacks_total: this.#fallbacks,
      ...(this.#model && prefixed('llm_', this.#model.extractor.gauges())),
    };
  }

  async close(): Promise<void> {
    await this.#builtin.close();
  }

  /** Undefined where the built-in extractor has to do. A model that fails never loses a message. */
  async #byModel(workspaceId: string, messages: readonly SourceMessage[], known: readonly KnownMemory[], signal: AbortSignal) {
    const model = this.#model;
    if (!model) return undefined;
    const used = await this.#tokensUsed(workspaceId);
    if (model.dailyTokens !== undefined && used >= model.dailyTokens) {
      this.#fallbacks++;
      return undefined;
    }
    try {
      const extraction = await model.extractor.extract(messages, known, signal);
      await this.#charge(workspaceId, extraction.tokens);
      return { extraction, extractor: model.extractor.name };
    } catch (error) {
      if (!(error instanceof LlmUnavailable)) throw error;
      await this.#charge(workspaceId, error.tokens);
      this.#fallbacks++;
      this.#log.warn({ err: error }, 'the language model did not extract; the built-in extractor does');
      return undefined;
    }
  }

  async #tokensUsed(workspaceId: string): Promise<number> {
    const row = await this.#db.maybeOne(sql<{ tokens: number | string }>`
      select tokens from llm_usage where workspace_id = ${workspaceId} and day = ${this.#today()}`);
    return Number(row?.tokens ?? 0);
  }

  async #charge(workspaceId: string, tokens: number): Promise<void> {
    if (tokens === 0) return;
    await this.#db.run(sql`
      insert into llm_usage (workspace_id, day, tokens) values (${workspaceId}, ${this.#today()}, ${tokens})
      on conflict (workspace_id, day) do update set tokens = llm_usage.tokens + excluded.tokens`);
  }

  #today(): string {
    return new Date(this.#clock.nowMs()).toISOString().slice(0, 10);
  }
}

function prefixed(prefix: string, values: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));
}
