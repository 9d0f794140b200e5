/** Extraction put together: who extracts, and the jobs that do. */
import { looksSecret } from '@commonplace/english/secrets';
import type { Logger } from 'pino';
import type { Context } from '../../context.ts';
import type { JobHandler } from '../../jobs/job-handler.ts';
import type { Outbox } from '../../outbox/distribution.ts';
import type { Endpoint } from '../../remote/endpoint.ts';
import { BuiltinExtractor } from './builtin/builtin.ts';
import { ExtractorSelector } from './choose-extractor.ts';
import type { LlmExtractor } from './llm/extractor.ts';
import { extractionHandlers } from './pipeline.ts';
import { regenerationHandler } from './regeneration.ts';

export interface ExtractionService {
  readonly handlers: Readonly<Record<string, JobHandler>>;
  gauges(): Record<string, number>;
  close(): Promise<void>;
}

export async function createExtraction({ config, db, clock, log }: Context, outbox: Outbox): Promise<ExtractionService> {
  const { llm, shortLivedMs } = config;
  const model = llm && { extractor: await createModel(llm, log), dailyTokens: llm.dailyTokens };
  const choice = new ExtractorSelector({ db, clock, log, builtin: new BuiltinExtractor(log), model });
  const options = { db, clock, log, choice, outbox, shortLivedMs };
  return {
    handlers: { ...extractionHandlers(options), 'regenerate-memories': regenerationHandler(options) },
    gauges: () => choice.gauges(),
    close: () => choice.close(),
  };
}

/** Loaded where it is configured: most services do without. */
async function createModel(endpoint: Endpoint, log: Logger): Promise<LlmExtractor> {
  const { createLlmExtractor } = await import('./llm/extractor.ts');
  return createLlmExtractor({ ...endpoint, log, isSecret: looksSecret });
}
