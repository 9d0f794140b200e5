/** `key=value` as labels; undefined where it is none. */
export function readLabel(label: string | undefined): Record<string, string> | undefined {
  const at = label?.indexOf('=') ?? -1;
  return label && at > 0 ? { [label.slice(0, at).trim()]: label.slice(at + 1).trim() } : undefined;
}
