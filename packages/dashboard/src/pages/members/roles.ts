import type { Role } from '../../api/permissions.ts';

/** What each role lets a person do, in a line. */
export const roleNotes: Readonly<Record<Role, string>> = {
  owner: 'Everything, and deletes the workspace',
  admin: 'Everything but owners and deleting the workspace',
  readonly: 'Sees all but keys, invites and the audit log, and changes nothing',
};

/** Admins touch no owners and make none. */
export function rolesToGive(own: Role): readonly Role[] {
  if (own === 'owner') return ['owner', 'admin', 'readonly'];
  return own === 'admin' ? ['admin', 'readonly'] : [];
}
