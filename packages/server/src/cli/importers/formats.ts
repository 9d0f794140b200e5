/** The formats of other programs, by the names that the command line knows. */
import type { Importer } from './items.ts';

export const formats = {
  chatgpt: async () => (await import('./chatgpt.ts')).chatgpt,
  mem0: async () => (await import('./mem0.ts')).mem0,
  langchain: async () => (await import('./langchain.ts')).langchain,
  markdown: async () => (await import('./markdown.ts')).markdown,
} satisfies Record<string, () => Promise<Importer>>;

export type Format = keyof typeof formats;

export function isFormat(name: string): name is Format {
  return Object.hasOwn(formats, name);
}
