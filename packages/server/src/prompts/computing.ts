/** Work on contents: at once where it is small, in a thread where requests would wait for it. */
import type { Log } from '../logging.ts';
import { moduleBeside } from '../threads/thread-file.ts';
import { ThreadPool } from '../threads/thread-pool.ts';
import { type ContentDiff, diffContents, type NamedContent } from './diffs.ts';
import { type RenderedTemplate, renderTemplate, type Template, type Values, variablesOf } from './templates.ts';

/** Some milliseconds of work at most. */
const SMALL_CHARACTERS = 32 * 1024;
const SMALL_LINES = 200;

export interface PromptComputing {
  /** Of each, in their order. */
  variables(templates: readonly Template[]): Promise<string[][]>;
  render(template: Template, values: Values): Promise<RenderedTemplate>;
  diff(from: NamedContent, to: NamedContent): Promise<ContentDiff>;
  close(): Promise<void>;
}

export function createPromptComputing(log: Log): PromptComputing {
  const pool = (name: string, module: URL) => ({ name, module, log });
  const templates = new ThreadPool<typeof import('./templates.ts')>(pool('prompt-templates', moduleBeside(import.meta.url, 'templates')));
  const diffs = new ThreadPool<typeof import('./diffs.ts')>(pool('prompt-diffs', moduleBeside(import.meta.url, 'diffs')));
  return {
    variables: async (all) => {
      const isSmall = all.reduce((sum, { content }) => sum + content.length, 0) <= SMALL_CHARACTERS;
      // No more than what they read is sent.
      return isSmall
        ? variablesOf(all)
        : templates.run(
            'variablesOf',
            all.map(({ type, content }) => ({ type, content })),
          );
    },
    render: async ({ type, content }, values) =>
      content.length <= SMALL_CHARACTERS
        ? renderTemplate({ type, content }, values)
        : templates.run('renderTemplate', { type, content }, values),
    diff: async (from, to) => (isShort(from) && isShort(to) ? diffContents(from, to) : diffs.run('diffContents', from, to)),
    close: async () => {
      await Promise.all([templates.close(), diffs.close()]);
    },
  };
}

function isShort({ content }: NamedContent): boolean {
  if (content.length > SMALL_CHARACTERS) return false;
  let lines = 1;
  for (let at = content.indexOf('\n'); at >= 0 && lines <= SMALL_LINES; at = content.indexOf('\n', at + 1)) lines++;
  return lines <= SMALL_LINES;
}
