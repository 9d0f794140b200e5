import { choiceParam, countParam, params, type RawSearch, textParam } from '../../search-params.ts';

export const tokenizers = ['o200k_base', 'cl100k_base', 'estimate'] as const;
export const contextParts = ['prompt', 'summary', 'memories', 'knowledge', 'messages'] as const;
export type ContextPart = (typeof contextParts)[number];

function readVariables(value: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const texts = Object.entries(value).filter(([, text]) => typeof text === 'string' && text !== '');
  return texts.length === 0 ? undefined : (Object.fromEntries(texts) as Record<string, string>);
}

/** `include` is absent for all of it, `labels` has a `key=value` on each line, and `variables` are those of the agent's prompt. */
export function readContextSearch(search: RawSearch) {
  const include = textParam(search, 'include')?.split(' ');
  return params({
    agent: textParam(search, 'agent'),
    session: textParam(search, 'session'),
    of: choiceParam(search, 'of', ['person'] as const),
    labels: textParam(search, 'labels'),
    q: textParam(search, 'q'),
    budget: countParam(search, 'budget'),
    include: include && contextParts.filter((part) => include.includes(part)).join(' '),
    tokenizer: choiceParam(search, 'tokenizer', tokenizers),
    version: textParam(search, 'version'),
    variables: readVariables(search.variables),
    view: choiceParam(search, 'view', ['messages'] as const),
  });
}

export type ContextSearch = ReturnType<typeof readContextSearch>;
