import type { RawSearch } from '../../search-params.ts';

export function readKeysSearch(_search: RawSearch) {
  return {};
}
