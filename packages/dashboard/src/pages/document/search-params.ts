import type { RawSearch } from '../../search-params.ts';

export function readDocumentSearch(_search: RawSearch) {
  return {};
}
