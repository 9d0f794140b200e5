/** Reading the state of a page from its address: whatever stands there, a page gets only what it knows. */

export type RawSearch = Readonly<Record<string, unknown>>;

export function textParam(search: RawSearch, name: string): string | undefined {
  const value = search[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function countParam(search: RawSearch, name: string): number | undefined {
  const value = Number(search[name]);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** `?new`, `?new=true`: there or not. */
export function flagParam(search: RawSearch, name: string): true | undefined {
  const value = search[name];
  return value === true || value === '' || value === 1 ? true : undefined;
}

export function choiceParam<Choice extends string>(search: RawSearch, name: string, choices: readonly Choice[]): Choice | undefined {
  return choices.find((choice) => choice === search[name]);
}

/** Without what is undefined: an address says only what differs from the plain page. */
export function params<Values extends Record<string, unknown>>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** Whether it stays in this app: browsers read `//host` and `/\\host` as another one. */
export function isOwnPath(path: string): boolean {
  return (
    URL.canParse(path, window.location.origin) &&
    path.startsWith('/') &&
    new URL(path, window.location.origin).origin === window.location.origin
  );
}
