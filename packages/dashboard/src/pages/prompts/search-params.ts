import type { RawSearch } from '../../search-params.ts';

export function readPromptsSearch(_search: RawSearch) {
  return {};
}
