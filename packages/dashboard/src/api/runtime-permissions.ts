/** What an agent that talks and remembers needs of its access key, and no more: it can't list what others do, nor delete a session. */
import type { Permission } from '@commonplace/client';

export const runtimePermissions: readonly Permission[] = [
  'CAN_GET_PROMPT',
  'CAN_QUERY_WORKSPACE_DOCUMENTS',
  'CAN_GET_AGENT',
  'CAN_LIST_AGENT_SESSIONS',
  'CAN_GET_AGENT_SESSION',
  'CAN_CREATE_AGENT_SESSION',
  'CAN_UPDATE_AGENT_SESSION',
  'CAN_LIST_SESSION_MESSAGES',
  'CAN_GET_SESSION_MESSAGE',
  'CAN_QUERY_SESSION_MESSAGES',
  'CAN_CREATE_SESSION_MESSAGE',
  'CAN_UPDATE_SESSION_MESSAGE',
  'CAN_DELETE_SESSION_MESSAGE',
  'CAN_LIST_SESSION_MEMORIES',
  'CAN_GET_SESSION_MEMORY',
  'CAN_QUERY_SESSION_MEMORIES',
  'CAN_CREATE_SESSION_MEMORY',
  'CAN_UPDATE_SESSION_MEMORY',
  'CAN_DELETE_SESSION_MEMORY',
];

/** Of all that an access key can be given. */
const GRANTABLE = 31;

export const runtimeSummary = `Runtime, ${runtimePermissions.length} of ${GRANTABLE} permissions`;
