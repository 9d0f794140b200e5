import type { RawSearch } from '../../search-params.ts';

export function readContextSearch(_search: RawSearch) {
  return {};
}
