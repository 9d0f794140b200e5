import type { RawSearch } from '../../search-params.ts';

export function readPromptSearch(_search: RawSearch) {
  return {};
}
