/** The guide as a program: its commands in the order of its pages, and what it says that they answer. */
import { readFile } from 'node:fs/promises';

export interface GuideStep {
  /** `sessions.md:20` */
  readonly place: string;
  readonly commands: string;
  /** What the guide shows beneath the commands, if anything. */
  readonly shown: { readonly kind: 'json' | 'text'; readonly text: string } | undefined;
}

const FENCE = /^```(\w*)$/;

/** The pages follow each other as the list on the first one names them. */
export async function readGuide(folder: URL): Promise<GuideStep[]> {
  const first = await readFile(new URL('README.md', folder), 'utf8');
  const others = [...first.matchAll(/^\d+\. \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map((match) => match[1] as string);
  const pages = await Promise.all(others.map(async (name) => ({ name, text: await readFile(new URL(name, folder), 'utf8') })));
  return [{ name: 'README.md', text: first }, ...pages].flatMap(({ name, text }) => stepsOf(name, text));
}

function stepsOf(page: string, text: string): GuideStep[] {
  const blocks: { line: number; language: string; body: string[] }[] = [];
  let open: (typeof blocks)[number] | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = FENCE.exec(line);
    if (!fence) open?.body.push(line);
    else if (open) open = undefined;
    else {
      open = { line: index + 1, language: fence[1] as string, body: [] };
      blocks.push(open);
    }
  }
  return blocks.flatMap(({ line, language, body }, index): GuideStep[] => {
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    const kind = next?.language;
    const shown: GuideStep['shown'] = next && (kind === 'json' || kind === 'text') ? { kind, text: next.body.join('\n') } : undefined;
    return [{ place: `${page}:${line}`, commands: body.join('\n'), shown }];
  });
}

/** One script: every step in the same shell, its output in a file of its own, and nothing after one that fails. */
export function scriptOf(steps: readonly GuideStep[]): string {
  const parts = steps.map(
    ({ commands }, index) => `{\n${commands}\n} > "$OUTPUT/${index}.out" 2> "$OUTPUT/${index}.err"\ntouch "$OUTPUT/${index}.done"`,
  );
  return ['set -euo pipefail', ...parts].join('\n');
}

const volatile = [/^[0-9a-f]{8}-[0-9a-f]{4}-7/, /^\d{4}-\d\d-\d\dT/, /^[0-9a-f]{12}$/];

/**
 * Where an answer is not what the guide shows: every field that is shown must be there, with that value, or with one of the same kind where it is
 * another in each run (ids, times, hashes) or left open with “…”.
 */
export function differences(shown: unknown, answered: unknown, path = ''): string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(answered)) return [`${path} is no array`];
    const lengths = shown.length === answered.length ? [] : [`${path} has ${answered.length} items, not ${shown.length}`];
    return [...lengths, ...shown.flatMap((item, index) => differences(item, answered[index], `${path}[${index}]`))];
  }
  if (typeof shown === 'object' && shown !== null) {
    if (typeof answered !== 'object' || answered === null) return [`${path} is no object`];
    return Object.entries(shown).flatMap(([key, value]) =>
      Object.hasOwn(answered, key)
        ? differences(value, (answered as Record<string, unknown>)[key], `${path}.${key}`)
        : [`${path}.${key} is missing`],
    );
  }
  if (shown === answered) return [];
  const fits =
    typeof shown === 'string' &&
    typeof answered === 'string' &&
    (/^019a…$/.test(shown)
      ? volatile[0]?.test(answered)
      : shown.endsWith('…')
        ? answered.startsWith(shown.slice(0, -1)) && answered.length >= shown.length
        : volatile.some((kind) => kind.test(shown) && kind.test(answered)));
  return fits ? [] : [`${path} is ${JSON.stringify(answered)}, not ${JSON.stringify(shown)}`];
}

/** A page's last key is on every page of a list but the last one: shown or not, it must be as in the answer. */
export function cursorDiffers(shown: { _meta?: object }, answered: { _meta?: object }): boolean {
  return shown._meta !== undefined && 'cursor' in shown._meta !== 'cursor' in (answered._meta ?? {});
}
