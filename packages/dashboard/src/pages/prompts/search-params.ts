import { choiceParam, countParam, params, type RawSearch, textParam } from '../../search-params.ts';

export function readPromptsSearch(search: RawSearch) {
  return params({ q: textParam(search, 'q'), page: countParam(search, 'page'), dialog: choiceParam(search, 'dialog', ['new'] as const) });
}
