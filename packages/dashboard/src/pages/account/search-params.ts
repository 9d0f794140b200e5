import { choiceParam, countParam, flagParam, params, type RawSearch, textParam } from '../../search-params.ts';

export const accountTabs = ['profile', 'keys', 'invites', 'activity'] as const;

/** `new` opens the form for an API key; `cursor` and `entry` are of the activity. */
export function readAccountSearch(search: RawSearch) {
  return params({
    tab: choiceParam(search, 'tab', accountTabs),
    new: flagParam(search, 'new'),
    offset: countParam(search, 'offset'),
    cursor: textParam(search, 'cursor'),
    entry: textParam(search, 'entry'),
  });
}
