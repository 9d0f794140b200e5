import type { RawSearch } from '../../search-params.ts';

export function readKnowledgeSearch(_search: RawSearch) {
  return {};
}
