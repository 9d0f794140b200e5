import type { RawSearch } from '../../search-params.ts';

export function readMembersSearch(_search: RawSearch) {
  return {};
}
