import { params, type RawSearch, textParam } from '../../search-params.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function dayParam(search: RawSearch, name: string): string | undefined {
  const day = textParam(search, name);
  return day && DAY.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined;
}

/** Days are whole and of the reader's clock; `entry` is the one whose detail is open. */
export function readAuditSearch(search: RawSearch) {
  return params({
    action: textParam(search, 'action'),
    actor: textParam(search, 'actor'),
    since: dayParam(search, 'since'),
    until: dayParam(search, 'until'),
    cursor: textParam(search, 'cursor'),
    entry: textParam(search, 'entry'),
  });
}
