/** Roles and permissions as one table: routes, documentation and tests follow from it. */
import { z } from 'zod';

export const Role = z.enum(['owner', 'admin', 'readonly']);
export type Role = z.infer<typeof Role>;

interface Grant {
  /** What it lets a caller do, for the documentation. */
  readonly allows: string;
  readonly roles: readonly Role[];
  /** Whether an access key can hold it. */
  readonly grantable: boolean;
  /** About what belongs to the workspace and to no agent: a key that is limited to agents holds it like any other. */
  readonly shared?: true;
}

const everyone: readonly Role[] = ['owner', 'admin', 'readonly'];
const managers: readonly Role[] = ['owner', 'admin'];
const ownersOnly: readonly Role[] = ['owner'];

const user = (roles: readonly Role[], allows: string): Grant => ({ allows, roles, grantable: false });
const read = (allows: string): Grant => ({ allows, roles: everyone, grantable: true });
const write = (allows: string): Grant => ({ allows, roles: managers, grantable: true });
const shared = (grant: Grant): Grant => ({ ...grant, shared: true });

export const permissions = {
  CAN_GET_WORKSPACE: user(everyone, 'read the workspace and its statistics'),
  CAN_UPDATE_WORKSPACE: user(managers, 'rename the workspace'),
  CAN_EXPORT_WORKSPACE: user(managers, 'take out everything that is in the workspace'),
  CAN_IMPORT_WORKSPACE: user(managers, 'bring in what was taken out'),
  CAN_DELETE_WORKSPACE: user(ownersOnly, 'delete the workspace and everything in it'),

  CAN_LIST_WORKSPACE_MEMBERS: user(everyone, 'list the members'),
  CAN_UPDATE_MEMBER_ROLE: user(managers, 'change the role of a member'),
  CAN_REMOVE_MEMBER: user(managers, 'remove a member'),

  CAN_LIST_WORKSPACE_INVITES: user(managers, 'list the invites'),
  CAN_GET_WORKSPACE_INVITE: user(managers, 'read an invite'),
  CAN_INVITE_MEMBER: user(managers, 'invite somebody'),
  CAN_REMOVE_INVITE: user(managers, 'withdraw an invite'),

  CAN_LIST_WORKSPACE_ACCESS_KEYS: user(managers, 'list the access keys'),
  CAN_GET_WORKSPACE_ACCESS_KEY: user(managers, 'read an access key'),
  CAN_CREATE_WORKSPACE_ACCESS_KEY: user(managers, 'make an access key'),
  CAN_DELETE_WORKSPACE_ACCESS_KEY: user(managers, 'delete an access key'),

  CAN_LIST_WORKSPACE_AUDITS: user(managers, 'list the audit log, and receipts of what was forgotten'),
  CAN_GET_WORKSPACE_AUDIT: user(managers, 'read an entry of the audit log, or a receipt'),

  CAN_LIST_WORKSPACE_WEBHOOKS: user(managers, 'list the webhooks'),
  CAN_MANAGE_WORKSPACE_WEBHOOKS: user(managers, 'make, change and delete webhooks'),

  CAN_LIST_PROMPTS: shared(read('list the prompts')),
  CAN_GET_PROMPT: shared(read('read a prompt and its versions')),
  CAN_CREATE_PROMPT: shared(write('make prompts and versions')),
  CAN_UPDATE_PROMPT: shared(write('change prompts and versions')),
  CAN_DELETE_PROMPT: shared(write('delete prompts and versions')),

  CAN_LIST_WORKSPACE_DOCUMENTS: shared(read('list and read the documents')),
  CAN_QUERY_WORKSPACE_DOCUMENTS: shared(read('search the documents')),
  CAN_CREATE_WORKSPACE_DOCUMENT: shared(write('upload documents')),
  CAN_DELETE_WORKSPACE_DOCUMENT: shared(write('delete documents')),

  CAN_LIST_AGENTS: read('list the agents'),
  CAN_GET_AGENT: read('read an agent'),
  CAN_CREATE_AGENT: write('make agents'),
  CAN_UPDATE_AGENT: write('change agents'),
  CAN_DELETE_AGENT: write('delete agents with their sessions'),

  CAN_LIST_AGENT_SESSIONS: read('list the sessions'),
  CAN_GET_AGENT_SESSION: read('read a session'),
  CAN_CREATE_AGENT_SESSION: write('make sessions'),
  CAN_UPDATE_AGENT_SESSION: write('change sessions'),
  CAN_DELETE_AGENT_SESSION: write('delete sessions; users: forget subjects'),

  CAN_LIST_SESSION_MESSAGES: read('list the messages'),
  CAN_GET_SESSION_MESSAGE: read('read a message'),
  CAN_QUERY_SESSION_MESSAGES: read('search the messages'),
  CAN_CREATE_SESSION_MESSAGE: write('write messages'),
  CAN_UPDATE_SESSION_MESSAGE: write('change messages'),
  CAN_DELETE_SESSION_MESSAGE: write('delete messages'),

  CAN_LIST_SESSION_MEMORIES: read('list the memories'),
  CAN_GET_SESSION_MEMORY: read('read a memory'),
  CAN_QUERY_SESSION_MEMORIES: read('search the memories'),
  CAN_CREATE_SESSION_MEMORY: write('write memories'),
  CAN_UPDATE_SESSION_MEMORY: write('change memories'),
  CAN_DELETE_SESSION_MEMORY: write('delete memories'),
} as const satisfies Record<string, Grant>;

export type Permission = keyof typeof permissions;

export const permissionNames = Object.keys(permissions) as Permission[];

/** The permissions that an access key can hold. */
export const grantablePermissions = permissionNames.filter((name) => permissions[name].grantable);

/** Whether it is about what belongs to the workspace and to no agent. */
export function isShared(permission: Permission): boolean {
  return permissions[permission].shared ?? false;
}

export function roleHolds(role: Role, permission: Permission): boolean {
  return (permissions[permission].roles as readonly Role[]).includes(role);
}
