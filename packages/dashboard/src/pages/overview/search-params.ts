import { countParam, params, type RawSearch } from '../../search-params.ts';

/** Days. */
export const ranges = [7, 30, 90] as const;
export type Range = (typeof ranges)[number];
export const DEFAULT_RANGE = 30;

export function readOverviewSearch(search: RawSearch) {
  const days = countParam(search, 'days');
  return params({ days: ranges.find((range) => range === days) });
}
