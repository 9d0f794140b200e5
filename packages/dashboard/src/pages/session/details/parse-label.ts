export interface Label {
  readonly name: string;
  readonly value: string;
}

/** `key=value`; the value may be empty, and may have more equals signs. */
export function parseLabel(text: string): Label | undefined {
  const at = text.indexOf('=');
  const name = text.slice(0, at).trim();
  return at < 0 || name === '' ? undefined : { name, value: text.slice(at + 1).trim() };
}
