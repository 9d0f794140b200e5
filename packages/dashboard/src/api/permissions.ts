/** What a member may do by their role. A test holds it against the service's own table. */
import type { Workspace } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { workspaceQuery } from './queries.ts';

export type Role = Workspace['role'];

const READING = /^CAN_(?:GET|LIST|QUERY)_/;
/** Reading these is for those who manage the workspace. */
const MANAGERS = /_(?:INVITES?|ACCESS_KEYS?|AUDITS?|WEBHOOKS?)$/;

export function roleCan(role: Role, permission: string): boolean {
  if (permission === 'CAN_DELETE_WORKSPACE') return role === 'owner';
  return role !== 'readonly' || (READING.test(permission) && !MANAGERS.test(permission));
}

/** Of the workspace that is open; nothing is allowed until its role is known. */
export function useCan(permission: string): boolean {
  const { workspaceId = '' } = useParams({ strict: false });
  const { data } = useQuery({ ...workspaceQuery(workspaceId), enabled: workspaceId !== '' });
  return data !== undefined && roleCan(data.role, permission);
}
