import { params, type RawSearch, textParam } from '../../search-params.ts';

/** `chunk` is the one that is looked at; `q` is what it was found by. */
export function readDocumentSearch(search: RawSearch) {
  return params({ chunk: textParam(search, 'chunk'), q: textParam(search, 'q') });
}
