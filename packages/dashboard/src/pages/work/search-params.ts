import { jobKinds } from '../../api/job-kinds.ts';
import { choiceParam, countParam, params, type RawSearch } from '../../search-params.ts';

export const jobStatuses = ['failed', 'running', 'waiting'] as const;

export function readWorkSearch(search: RawSearch) {
  return params({
    status: choiceParam(search, 'status', jobStatuses),
    kind: choiceParam(search, 'kind', jobKinds),
    offset: countParam(search, 'offset'),
  });
}

export type WorkSearch = ReturnType<typeof readWorkSearch>;
/** What is undefined leaves the address. */
export type WorkChange = { readonly [Name in keyof WorkSearch]?: WorkSearch[Name] | undefined };
