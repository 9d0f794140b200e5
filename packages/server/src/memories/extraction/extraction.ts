/** Extraction put together: who extracts, and the jobs that do. */
import type { Context } from '../../context.ts';
import type { JobHandler } from '../../jobs/worker.ts';
import { BuiltinExtractor } from './builtin/builtin.ts';
import { looksSecret } from './builtin/secrets.ts';
import { ExtractorChoice } from './choice.ts';
import { hideSecrets } from './hidden.ts';
import { createLlmExtractor } from './llm/extractor.ts';
import { extractionHandlers } from './pipeline.ts';
import { regenerationHandler } from './regeneration.ts';

export interface Extraction {
  readonly handlers: Readonly<Record<string, JobHandler>>;
  gauges(): Record<string, number>;
  close(): Promise<void>;
}

export function createExtraction({ config, db, clock, log }: Context): Extraction {
  const { llm, shortLivedMs } = config;
  const model = llm && {
    extractor: createLlmExtractor({ ...llm, log, isSecret: looksSecret, hideSecrets }),
    dailyTokens: llm.dailyTokens,
  };
  const choice = new ExtractorChoice({ db, clock, log, builtin: new BuiltinExtractor(log), model });
  const options = { db, clock, log, choice, shortLivedMs };
  return {
    handlers: { ...extractionHandlers(options), 'regenerate-memories': regenerationHandler(options) },
    gauges: () => choice.gauges(),
    close: () => choice.close(),
  };
}
