import type { MemoryKind } from '../../design/badge.tsx';
import { choiceParam, params, type RawSearch, textParam } from '../../search-params.ts';

export const sessionTabs = ['memories', 'search', 'details'] as const;
export type SessionTab = (typeof sessionTabs)[number];

const kinds: readonly MemoryKind[] = ['preference', 'fact', 'long_lived', 'short_lived', 'summary'];

/** `message` and `memory` are what is looked at; `in` is what a search goes through, both unless told. */
export function readSessionSearch(search: RawSearch) {
  const asOf = textParam(search, 'asOf');
  return params({
    tab: choiceParam(search, 'tab', ['search', 'details'] as const),
    memory: textParam(search, 'memory'),
    message: textParam(search, 'message'),
    kind: choiceParam(search, 'kind', kinds),
    asOf: asOf !== undefined && Number.isNaN(Date.parse(asOf)) ? undefined : asOf,
    q: textParam(search, 'q'),
    in: choiceParam(search, 'in', ['messages', 'memories'] as const),
  });
}

export type SessionSearch = ReturnType<typeof readSessionSearch>;
