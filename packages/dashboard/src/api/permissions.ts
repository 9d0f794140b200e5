/** What the reader may do in the workspace that is open. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { workspaceQuery } from './queries.ts';
import { roleCan } from './role-permissions.ts';

/** Nothing is allowed until the role is known. */
export function useCan(permission: string): boolean {
  const { workspaceId = '' } = useParams({ strict: false });
  const { data } = useQuery({ ...workspaceQuery(workspaceId), enabled: workspaceId !== '' });
  return data !== undefined && roleCan(data.role, permission);
}
