import type { RawSearch } from '../../search-params.ts';

export function readSettingsSearch(_search: RawSearch) {
  return {};
}
