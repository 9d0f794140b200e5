import type { RawSearch } from '../../search-params.ts';

export function readSearchSearch(_search: RawSearch) {
  return {};
}
