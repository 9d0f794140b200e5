/** A version of a prompt, filled in. */
import type { RenderedPrompt } from '@commonplace/contract/prompts';
import type { Queryable } from '../db/database.ts';
import { notFound } from '../errors.ts';
import type { PromptComputing } from './computing.ts';
import { renderRefusal, versionSelectorOf } from './rules.ts';
import type { PromptPlace, ReadVersion } from './statements.ts';
import { findSelectedVersion } from './store.ts';
import type { Values } from './templates.ts';

export async function renderVersion(computing: PromptComputing, version: ReadVersion, values: Values): Promise<RenderedPrompt> {
  const rendered = await computing.render(version, values);
  if ('refused' in rendered) throw renderRefusal(rendered);
  const { id, promptId, type, config } = version;
  return { promptId, promptVersionId: id, version: version.version, type, config, ...rendered };
}

/** For those who have a prompt's id. Where no version is named, a prompt that has none in use gives nothing. */
export class PromptRenderer {
  readonly #computing: PromptComputing;

  constructor(computing: PromptComputing) {
    this.#computing = computing;
  }

  async render(db: Queryable, place: PromptPlace, version: string | undefined, values: Values): Promise<RenderedPrompt | undefined> {
    const found = await findSelectedVersion(db, place, versionSelectorOf(version));
    if (found) return renderVersion(this.#computing, found, values);
    if (version !== undefined) throw notFound('Prompt version');
    return undefined;
  }

  async close(): Promise<void> {
    await this.#computing.close();
  }
}
