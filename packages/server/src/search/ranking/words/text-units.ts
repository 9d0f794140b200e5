/** The UTF-16 code units of texts as numbers in an array: to ask a string for one after the other takes several times as long. */

import { endianness } from 'node:os';

const isLittleEndian = endianness() === 'LE';

export class TextUnits {
  /** What was written last, and behind it what was written before. */
  readonly units: Uint16Array;
  readonly #bytes: Buffer;

  constructor(most: number) {
    this.units = new Uint16Array(most);
    this.#bytes = Buffer.from(this.units.buffer);
  }

  /** No more than there is room for. */
  write(text: string): void {
    if (isLittleEndian) this.#bytes.write(text, 'utf16le');
    else for (let at = 0; at < text.length; at++) this.units[at] = text.charCodeAt(at);
  }
}
