import { choiceParam, params, type RawSearch, textParam } from '../../search-params.ts';

const languages = ['curl', 'typescript', 'python', 'mcp'] as const;
const editorNames = ['claude-code', 'cursor', 'vs-code'] as const;
const ways = ['fetch', 'client'] as const;

export type Language = (typeof languages)[number];

export function readStartSearch(search: RawSearch) {
  return params({
    agent: textParam(search, 'agent'),
    language: choiceParam(search, 'language', languages),
    editor: choiceParam(search, 'editor', editorNames),
    typescript: choiceParam(search, 'typescript', ways),
  });
}
