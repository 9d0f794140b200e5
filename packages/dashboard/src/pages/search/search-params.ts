import { choiceParam, params, type RawSearch, textParam } from '../../search-params.ts';

export const hitTypes = ['document', 'memory', 'message'] as const;

export function readSearchPageParams(search: RawSearch) {
  return params({ q: textParam(search, 'q'), type: choiceParam(search, 'type', hitTypes) });
}
