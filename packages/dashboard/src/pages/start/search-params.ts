import type { RawSearch } from '../../search-params.ts';

export function readStartSearch(_search: RawSearch) {
  return {};
}
