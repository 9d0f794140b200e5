/** From the address of the page to the request that it shows the answer of. */
import type { ContextRequest } from '@commonplace/client';
import { type ContextPart, type ContextSearch, contextParts } from './search-params.ts';

export const SMALLEST_BUDGET = 200;
export const LARGEST_BUDGET = 200_000;
const DEFAULT_BUDGET = 4_000;
/** Of the slider, between the two. */
export const BUDGET_STEPS = 300;

export const clampBudget = (tokens: number): number => Math.min(LARGEST_BUDGET, Math.max(SMALLEST_BUDGET, Math.round(tokens)));

/** Each step is the same factor; the numbers are round ones. */
export function budgetAt(step: number): number {
  const exact = SMALLEST_BUDGET * (LARGEST_BUDGET / SMALLEST_BUDGET) ** (step / BUDGET_STEPS);
  const unit = 10 ** (Math.floor(Math.log10(exact)) - 1);
  return clampBudget(Math.round(exact / unit) * unit);
}

export function stepOf(tokens: number): number {
  return Math.round((Math.log(tokens / SMALLEST_BUDGET) / Math.log(LARGEST_BUDGET / SMALLEST_BUDGET)) * BUDGET_STEPS);
}

/** A `key=value` on each line; lines that say something else are left out, and named. */
export function readLabels(text: string): { readonly labels: Record<string, string>; readonly wrong: readonly string[] } {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const pairs = lines.map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1).trim()] as const);
  const wrong = lines.filter((line, at) => !line.includes('=') || pairs[at]?.[0] === '');
  return { labels: Object.fromEntries(pairs.filter((_, at) => !wrong.includes(lines[at] ?? ''))), wrong };
}

export function includedParts({ include }: ContextSearch): readonly ContextPart[] {
  return include === undefined ? contextParts : contextParts.filter((part) => include.split(' ').includes(part));
}

export const budgetOf = ({ budget }: ContextSearch): number => clampBudget(budget ?? DEFAULT_BUDGET);

/** What is asked for, without what is as it is unless told. */
export function contextRequest(search: ContextSearch, variables: Readonly<Record<string, string>>): ContextRequest {
  const included = includedParts(search);
  return {
    ...(search.q !== undefined && { query: search.q }),
    tokenBudget: budgetOf(search),
    ...(included.length < contextParts.length && { include: [...included] }),
    ...(included.includes('prompt') && Object.keys(variables).length > 0 && { variables }),
    ...(included.includes('prompt') && search.version !== undefined && { version: search.version }),
    ...(search.tokenizer !== undefined && { tokenizer: search.tokenizer }),
    explain: true,
  };
}
