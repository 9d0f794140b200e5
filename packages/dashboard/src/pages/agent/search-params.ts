import type { RawSearch } from '../../search-params.ts';

export function readAgentSearch(_search: RawSearch) {
  return {};
}
