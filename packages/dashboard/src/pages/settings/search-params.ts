import { flagParam, params, type RawSearch } from '../../search-params.ts';

/** `delete` opens the question. */
export function readSettingsSearch(search: RawSearch) {
  return params({ delete: flagParam(search, 'delete') });
}
