/** Other ids for what is brought in, always the same ones for the same workspace: a stream that is sent again finds what it made. */
import { hash } from 'node:crypto';

/** An id that is not free is tried so often under another. */
const MOST_CANDIDATES = 4;

/** At the same time as the original, so that lists by id keep their order. */
export function derivedId(workspaceId: string, id: string): string {
  const digest = digestOf(workspaceId, id);
  const variant = '89ab'[Number.parseInt(digest[0] as string, 16) & 3];
  return `${id.slice(0, 14)}7${id.slice(15, 18)}-${variant}${digest.slice(1, 4)}-${digest.slice(4, 16)}`;
}

/** In the same order as the originals, those of one moment too: what says that order is kept, and the random end alone is another. */
export function derivedOrderedId(workspaceId: string, id: string): string {
  const end = Number.parseInt(id.slice(-5), 16);
  const other = Number.parseInt(digestOf(workspaceId, id).slice(0, 5), 16);
  return id.slice(0, -5) + ((end & 0xc0000) | (other & 0x3ffff)).toString(16).padStart(5, '0');
}

function digestOf(workspaceId: string, id: string): string {
  return hash('sha256', `${workspaceId} ${id}`, 'hex');
}

/** What the ids of a stream become in a workspace. */
export class ImportedIds {
  readonly #workspaceId: string;
  readonly #areNew: boolean;
  readonly #isFoundByOwn: boolean;

  /** `isFoundByOwn`: what is here under the id that it has in the stream is the same, whether or not it would get that id now. */
  constructor(workspaceId: string, { areNew, isFoundByOwn }: { areNew: boolean; isFoundByOwn: boolean }) {
    this.#workspaceId = workspaceId;
    this.#areNew = areNew;
    this.#isFoundByOwn = isFoundByOwn;
  }

  /** The ids that it can have here. */
  known(id: string): string[] {
    return [...new Set([...(this.#isFoundByOwn ? [id] : []), ...this.candidates(id)])];
  }

  /** Of an agent, a prompt, a document or a session: the first of these that is free. */
  candidates(id: string): [string, ...string[]] {
    const first = this.#areNew ? derivedId(this.#workspaceId, id) : id;
    const found: [string, ...string[]] = [first];
    while (found.length < MOST_CANDIDATES) found.push(derivedId(this.#workspaceId, found.at(-1) as string));
    return found;
  }

  /** Of what belongs to a session, whose ids need to be free there alone. */
  inSession(id: string): string {
    return this.#areNew ? derivedOrderedId(this.#workspaceId, id) : id;
  }

  /** Of whom memories are. It is made of the agent's id, and so another where that is another. */
  person(id: string): string {
    return this.#areNew ? derivedId(this.#workspaceId, id) : id;
  }
}
