import { countParam, flagParam, params, type RawSearch, textParam } from '../../search-params.ts';

/** `new` opens the form, `key` shows one key. */
export function readKeysSearch(search: RawSearch) {
  return params({ new: flagParam(search, 'new'), key: textParam(search, 'key'), offset: countParam(search, 'offset') });
}
