import type { RawSearch } from '../../search-params.ts';

export function readAccountSearch(_search: RawSearch) {
  return {};
}
