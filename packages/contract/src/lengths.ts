/** How long a text is: in code points, as every limit of characters counts, or in bytes of UTF-8. */

export function lengthOf(value: string): number {
  let length = 0;
  for (const _ of value) length++;
  return length;
}

/** Counts only where the number of code units leaves it open. */
export function exceedsLength(value: string, max: number): boolean {
  return value.length > max && (value.length > max * 2 || lengthOf(value) > max);
}

export function exceedsBytes(value: string, max: number): boolean {
  return value.length > max || (value.length * 3 > max && byteLengthOf(value) > max);
}

/** Of well-formed text. */
export function byteLengthOf(value: string): number {
  let bytes = value.length;
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    // Half of a surrogate pair is two of its four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** PostgreSQL keeps no NUL, and UTF-8 has no unpaired surrogates. */
export function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}
