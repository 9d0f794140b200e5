/** What the palette offers by name. Pages open their forms from their address, so that a command is one, too. */
import { type Role, roleCan } from '../../api/permissions.ts';
import type { IconName } from '../../design/icon.tsx';
import { mainPages, managePages } from '../navigation.ts';
import { goToKeys } from '../shortcuts.ts';

export interface PaletteItem {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  /** At the right: where it is, or what it is. */
  readonly where?: string;
  /** Keys that do the same. */
  readonly keys?: readonly string[];
  readonly words?: string;
  /** Where it leads, or what it does. */
  readonly action: PaletteAction;
}

export type PaletteAction = { readonly href: string } | { readonly run: 'theme' | 'sign-out' | 'shortcuts' | 'new-workspace' };

/** Of its element, by which the field names it. */
export const optionId = ({ id }: PaletteItem): string => `palette-${id.replace(/[^\w-]/g, '_')}`;

export interface PaletteGroup {
  readonly label: string;
  readonly items: readonly PaletteItem[];
}

const pathOf = (to: string, workspaceId: string) => to.replace('$workspaceId', workspaceId);

const fallbackPages: readonly PaletteItem[] = [
  { id: 'go-account', label: 'Your account', icon: 'settings', words: 'profile password api keys', action: { href: '/account' } },
  { id: 'go-docs', label: 'API reference', icon: 'docs', words: 'documentation openapi', action: { href: '/docs' } },
];

export function goToItems(workspaceId: string | undefined, role: Role | undefined): readonly PaletteItem[] {
  if (!workspaceId) return fallbackPages;
  const pages = [...mainPages, ...managePages].filter((page) => !('permission' in page) || (role && roleCan(role, page.permission)));
  return [
    ...pages.map(({ to, label, icon }) => {
      const key = goToKeys.find(({ page }) => page === label)?.key;
      return { id: `go-${label}`, label, icon, ...(key && { keys: ['G', key] }), action: { href: pathOf(to, workspaceId) } };
    }),
    {
      id: 'go-start',
      label: 'Get started',
      icon: 'arrow',
      words: 'snippets curl example data first message',
      action: { href: `/w/${workspaceId}/start` },
    },
    ...fallbackPages,
  ];
}

interface FormCommand {
  readonly label: string;
  readonly icon: IconName;
  readonly where: string;
  readonly words?: string;
  readonly permission: string;
  readonly address: string;
}

const forms: readonly FormCommand[] = [
  {
    label: 'Create access key',
    icon: 'key',
    where: 'Access keys',
    words: 'new token secret',
    permission: 'CAN_CREATE_WORKSPACE_ACCESS_KEY',
    address: 'keys?new=true',
  },
  {
    label: 'Upload documents',
    icon: 'upload',
    where: 'Knowledge',
    words: 'add file markdown',
    permission: 'CAN_CREATE_WORKSPACE_DOCUMENT',
    address: 'knowledge?upload=true',
  },
  {
    label: 'New prompt',
    icon: 'plus',
    where: 'Prompts',
    words: 'create add',
    permission: 'CAN_CREATE_PROMPT',
    address: 'prompts?new=true',
  },
  { label: 'New agent', icon: 'plus', where: 'Agents', words: 'create add', permission: 'CAN_CREATE_AGENT', address: 'agents?new=true' },
  {
    label: 'Invite a member',
    icon: 'members',
    where: 'Members',
    words: 'add person user',
    permission: 'CAN_INVITE_MEMBER',
    address: 'members?invite=true',
  },
];

export function doItems(workspaceId: string | undefined, role: Role | undefined): readonly PaletteItem[] {
  const allowed = workspaceId && role ? forms.filter(({ permission }) => roleCan(role, permission)) : [];
  return [
    ...allowed.map(({ permission: _, address, ...shown }) => ({
      ...shown,
      id: `do-${shown.label}`,
      action: { href: `/w/${workspaceId}/${address}` },
    })),
    {
      id: 'do-workspace',
      label: 'New workspace',
      icon: 'plus',
      where: 'Workspaces',
      words: 'create add',
      action: { run: 'new-workspace' },
    },
    { id: 'do-theme', label: 'Switch theme', icon: 'theme', where: 'Appearance', words: 'dark light', action: { run: 'theme' } },
    { id: 'do-keys', label: 'Show keyboard shortcuts', icon: 'info', keys: ['?'], words: 'help', action: { run: 'shortcuts' } },
    { id: 'do-sign-out', label: 'Sign out', icon: 'arrow', where: 'Account', words: 'log out leave', action: { run: 'sign-out' } },
  ];
}
