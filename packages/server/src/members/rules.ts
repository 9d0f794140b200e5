import type { Role } from '@commonplace/contract/permissions';
import { forbidden } from '../errors.ts';

/** Admins manage everyone but owners, and make nobody an owner. */
export function requireMayTouch(actorRole: Role, targetRole: Role, newRole?: Role): void {
  if (actorRole === 'owner') return;
  if (targetRole === 'owner') throw forbidden('Only an owner may change or remove an owner');
  if (newRole === 'owner') throw forbidden('Only an owner may make somebody an owner');
}
