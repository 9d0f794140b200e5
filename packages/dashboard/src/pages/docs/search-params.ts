import type { RawSearch } from '../../search-params.ts';

export function readDocsSearch(_search: RawSearch) {
  return {};
}
