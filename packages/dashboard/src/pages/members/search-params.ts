import { countParam, flagParam, params, type RawSearch } from '../../search-params.ts';

/** `invite` opens the form; the two lists have pages of their own. */
export function readMembersSearch(search: RawSearch) {
  return params({ invite: flagParam(search, 'invite'), offset: countParam(search, 'offset'), invites: countParam(search, 'invites') });
}
