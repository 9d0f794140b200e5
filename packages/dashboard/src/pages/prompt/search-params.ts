import { choiceParam, countParam, params, type RawSearch } from '../../search-params.ts';

export const promptTabs = ['variables', 'preview', 'use'] as const;
export type PromptTab = (typeof promptTabs)[number];

/** `version` is the one in the editor, the latest unless told; `compare` the one it is held against, production unless told. */
export function readPromptSearch(search: RawSearch) {
  return params({
    version: countParam(search, 'version'),
    compare: countParam(search, 'compare'),
    tab: choiceParam(search, 'tab', promptTabs),
  });
}
