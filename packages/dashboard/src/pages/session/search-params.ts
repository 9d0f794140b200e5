import type { RawSearch } from '../../search-params.ts';

export function readSessionSearch(_search: RawSearch) {
  return {};
}
