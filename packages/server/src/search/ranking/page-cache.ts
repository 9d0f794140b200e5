/** Pages of words that searches read lately, the bodies without their frames. Those used least recently make room. */

import { openPage, type PagePlace, type WordPage } from '../segments/pages.ts';

export class PageCache {
  readonly #limitBytes: number;
  /** In the order of last use. */
  readonly #bodies = new Map<string, Uint8Array>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(place: PagePlace): Uint8Array | undefined {
    const key = keyOf(place);
    const body = this.#bodies.get(key);
    if (body) {
      this.#bodies.delete(key);
      this.#bodies.set(key, body);
    }
    return body;
  }

  /** Gives its body; throws `UnusableSegment` where it is damaged. */
  add(page: WordPage): Uint8Array {
    const key = keyOf(page);
    this.#bytes -= this.#bodies.get(key)?.length ?? 0;
    this.#bodies.delete(key);
    const body = openPage(page);
    this.#bodies.set(key, body);
    this.#bytes += body.length;
    this.#makeRoom();
    return body;
  }

  #makeRoom(): void {
    for (const [key, body] of this.#bodies) {
      if (this.#bytes <= this.#limitBytes) return;
      this.#bodies.delete(key);
      this.#bytes -= body.length;
    }
  }
}

export function keyOf({ segmentId, number }: PagePlace): string {
  return `${segmentId} ${number}`;
}
