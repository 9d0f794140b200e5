import { countParam, flagParam, params, type RawSearch } from '../../search-params.ts';

/** `new` opens the form. */
export function readAgentsSearch(search: RawSearch) {
  return params({ new: flagParam(search, 'new'), offset: countParam(search, 'offset') });
}
