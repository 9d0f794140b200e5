import { choiceParam, countParam, params, type RawSearch, textParam } from '../../search-params.ts';

export const agentTabs = ['settings', 'memories'] as const;

/** Of the memories: `label` is `key=value`, `q` a search. */
export function readAgentSearch(search: RawSearch) {
  return params({
    tab: choiceParam(search, 'tab', agentTabs),
    label: textParam(search, 'label'),
    q: textParam(search, 'q'),
    offset: countParam(search, 'offset'),
  });
}
