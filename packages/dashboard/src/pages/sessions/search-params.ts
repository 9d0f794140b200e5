import type { RawSearch } from '../../search-params.ts';

export function readSessionsSearch(_search: RawSearch) {
  return {};
}
