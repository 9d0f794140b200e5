import { choiceParam, params, type RawSearch, textParam } from '../../search-params.ts';

export const ranges = ['7', '30', '90'] as const;
/** Days. */
export type Range = (typeof ranges)[number];
export const DEFAULT_RANGE = '30';

export function readOverviewSearch(search: RawSearch) {
  return params({ days: choiceParam({ days: textParam(search, 'days') }, 'days', ranges) });
}
