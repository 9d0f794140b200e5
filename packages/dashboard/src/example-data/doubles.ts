/** Two people who fill one workspace at the same moment may write a piece twice. Of each, one stays. */
import { isStatus } from '../api/refusals.ts';
import { markOf } from './marks.ts';

interface Piece {
  readonly id: string;
  readonly meta: unknown;
  /** Of a prompt's version: programs use it. */
  readonly production?: boolean;
}

/** What is in production stays; otherwise the one with the lowest id. */
function isKeptOver(piece: Piece, other: Piece): boolean {
  const inProduction = piece.production === true;
  return inProduction === (other.production === true) ? piece.id < other.id : inProduction;
}

/** The same for whoever looks, so that two who tidy up at once keep the same ones. */
export function doublesOf<Marked extends Piece>(pieces: readonly Marked[]): Marked[] {
  const kept = new Map<string, Marked>();
  for (const piece of pieces) {
    const mark = markOf(piece.meta);
    const before = mark === undefined ? undefined : kept.get(mark);
    if (mark !== undefined && (!before || isKeptOver(piece, before))) kept.set(mark, piece);
  }
  return pieces.filter((piece) => {
    const mark = markOf(piece.meta);
    return mark !== undefined && kept.get(mark) !== piece;
  });
}

export async function removeDoubles(pieces: readonly Piece[], remove: (id: string) => Promise<void>): Promise<void> {
  for (const { id } of doublesOf(pieces)) {
    await remove(id).catch((error: unknown) => {
      if (!isStatus(error, 404)) throw error;
    });
  }
}
