import type { RawSearch } from '../../search-params.ts';

export function readOverviewSearch(_search: RawSearch) {
  return {};
}
