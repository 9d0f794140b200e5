import { choiceParam, countParam, params, type RawSearch, textParam } from '../../search-params.ts';

export const documentStatuses = ['processing', 'indexed', 'failed'] as const;

/** Of the table: `status`, `label`, `offset`. Of the search beside it: `q`, `in` (labels), `agent`, `limit`, `minScore`. */
export function readKnowledgeSearch(search: RawSearch) {
  const minScore = Number(search.minScore);
  return params({
    status: choiceParam(search, 'status', documentStatuses),
    label: textParam(search, 'label'),
    offset: countParam(search, 'offset'),
    q: textParam(search, 'q'),
    in: textParam(search, 'in'),
    agent: textParam(search, 'agent'),
    limit: countParam(search, 'limit'),
    minScore: minScore > 0 && minScore <= 1 ? minScore : undefined,
  });
}

export type KnowledgeSearch = ReturnType<typeof readKnowledgeSearch>;
/** What is undefined leaves the address. */
export type KnowledgeChange = { readonly [Name in keyof KnowledgeSearch]?: KnowledgeSearch[Name] | undefined };
