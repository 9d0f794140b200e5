/** What the sidebar and the palette lead to. */
import type { IconName } from '../design/icon.tsx';

interface NavigationItem {
  readonly to: `/w/$workspaceId${string}`;
  readonly label: string;
  readonly icon: IconName;
  /** Only for members who may. */
  readonly permission?: string;
}

export const mainPages = [
  { to: '/w/$workspaceId', label: 'Overview', icon: 'overview' },
  { to: '/w/$workspaceId/agents', label: 'Agents', icon: 'agents' },
  { to: '/w/$workspaceId/sessions', label: 'Sessions', icon: 'sessions' },
  { to: '/w/$workspaceId/prompts', label: 'Prompts', icon: 'prompts' },
  { to: '/w/$workspaceId/knowledge', label: 'Knowledge', icon: 'knowledge' },
  { to: '/w/$workspaceId/context', label: 'Context', icon: 'context' },
] as const satisfies readonly NavigationItem[];

export const managePages = [
  { to: '/w/$workspaceId/work', label: 'Background work', icon: 'jobs' },
  { to: '/w/$workspaceId/members', label: 'Members', icon: 'members' },
  { to: '/w/$workspaceId/keys', label: 'Access keys', icon: 'key', permission: 'CAN_LIST_WORKSPACE_ACCESS_KEYS' },
  { to: '/w/$workspaceId/audit', label: 'Audit log', icon: 'audit', permission: 'CAN_LIST_WORKSPACE_AUDITS' },
  { to: '/w/$workspaceId/settings', label: 'Settings', icon: 'settings' },
] as const satisfies readonly NavigationItem[];
