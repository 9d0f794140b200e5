/** What a member may do by their role. A test holds it against the service's own table. */
import type { Workspace } from '@commonplace/client';

export type Role = Workspace['role'];

const READING = /^CAN_(?:GET|LIST|QUERY)_/;
/** Reading these is for those who manage the workspace. */
const MANAGERS = /_(?:INVITES?|ACCESS_KEYS?|AUDITS?|WEBHOOKS?)$/;

export function roleCan(role: Role, permission: string): boolean {
  if (permission === 'CAN_DELETE_WORKSPACE') return role === 'owner';
  return role !== 'readonly' || (READING.test(permission) && !MANAGERS.test(permission));
}
