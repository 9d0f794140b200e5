import { choiceParam, params, type RawSearch, textParam } from '../../search-params.ts';

export const hitTypes = ['document', 'memory', 'message'] as const;

export function readSearchSearch(search: RawSearch) {
  return params({ q: textParam(search, 'q'), type: choiceParam(search, 'type', hitTypes) });
}
