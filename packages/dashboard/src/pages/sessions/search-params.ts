import { countParam, params, type RawSearch, textParam } from '../../search-params.ts';

const MOST_FILTERS = 32;

/** `label` is a list of `key=value`. */
export function readSessionsSearch(search: RawSearch) {
  const given = Array.isArray(search.label) ? search.label : [search.label];
  const label = given.filter((one): one is string => typeof one === 'string' && one.includes('=')).slice(0, MOST_FILTERS);
  return params({
    agent: textParam(search, 'agent'),
    id: textParam(search, 'id'),
    label: label.length > 0 ? label : undefined,
    offset: countParam(search, 'offset'),
  });
}

export type SessionsSearch = ReturnType<typeof readSessionsSearch>;
