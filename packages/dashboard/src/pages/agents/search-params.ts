import type { RawSearch } from '../../search-params.ts';

export function readAgentsSearch(_search: RawSearch) {
  return {};
}
