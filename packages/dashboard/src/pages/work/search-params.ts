import type { RawSearch } from '../../search-params.ts';

export function readWorkSearch(_search: RawSearch) {
  return {};
}
