import { choiceParam, params, type RawSearch, textParam } from '../../search-params.ts';

export const languages = ['curl', 'typescript', 'python'] as const;
export type Language = (typeof languages)[number];

export function readDocsSearch(search: RawSearch) {
  return params({
    operation: textParam(search, 'operation'),
    tag: textParam(search, 'tag'),
    q: textParam(search, 'q'),
    language: choiceParam(search, 'language', languages),
    /** The panel that sends the request. */
    panel: choiceParam(search, 'panel', ['try'] as const),
  });
}
