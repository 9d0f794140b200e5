import type { RawSearch } from '../../search-params.ts';

export function readAuditSearch(_search: RawSearch) {
  return {};
}
