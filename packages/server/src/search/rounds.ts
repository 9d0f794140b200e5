/** Looking at a scope takes several statements, between which it may change. */
import type { ScopeSource } from './scope-source.ts';

/** One look at a scope. */
export interface Round {
  readonly marker: string;
  /** Something that was counted was not there any more when it was read: what took its place may be missing. */
  isTorn: boolean;
}

/** Whether fewer were read than were counted because something changed in between. */
export async function noteShortRead(source: ScopeSource, round: Round): Promise<boolean> {
  const isTorn = (await source.marker()) !== round.marker;
  round.isTorn ||= isTorn;
  return isTorn;
}
