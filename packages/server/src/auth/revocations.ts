/** Revocations: the statement that goes with every change that takes something away from a caller, or changes who they are. */
import { invalidate } from '../db/invalidation.ts';
import type { Sql } from '../db/sql.ts';

/** Whose cached look-ups are no longer true. */
export interface Revocation {
  readonly credentialId?: string;
  readonly userId?: string;
  readonly workspaceId?: string;
}

export const CALLERS_TOPIC = 'callers';

/** In the batch or transaction of the change: when that resolves, no node relies on what it remembered of them. */
export function revokeCallers(revocation: Revocation): Sql {
  return invalidate(CALLERS_TOPIC, JSON.stringify(revocation));
}
