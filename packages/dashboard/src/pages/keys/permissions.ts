/** What an access key may hold, in the groups that people think in, and the presets. */
import type { Permission } from '@commonplace/client';

export const groups = ['Prompts', 'Documents', 'Agents', 'Sessions', 'Messages', 'Memories'] as const;
export const verbs = ['List', 'Read', 'Search', 'Create', 'Change', 'Delete'] as const;

export type Group = (typeof groups)[number];
export type Verb = (typeof verbs)[number];

/** Typed by the client's own list: the compiler finds one that is missing here. */
export const places: Readonly<Record<Permission, readonly [Group, Verb]>> = {
  CAN_LIST_PROMPTS: ['Prompts', 'List'],
  CAN_GET_PROMPT: ['Prompts', 'Read'],
  CAN_CREATE_PROMPT: ['Prompts', 'Create'],
  CAN_UPDATE_PROMPT: ['Prompts', 'Change'],
  CAN_DELETE_PROMPT: ['Prompts', 'Delete'],
  CAN_LIST_WORKSPACE_DOCUMENTS: ['Documents', 'List'],
  CAN_QUERY_WORKSPACE_DOCUMENTS: ['Documents', 'Search'],
  CAN_CREATE_WORKSPACE_DOCUMENT: ['Documents', 'Create'],
  CAN_DELETE_WORKSPACE_DOCUMENT: ['Documents', 'Delete'],
  CAN_LIST_AGENTS: ['Agents', 'List'],
  CAN_GET_AGENT: ['Agents', 'Read'],
  CAN_CREATE_AGENT: ['Agents', 'Create'],
  CAN_UPDATE_AGENT: ['Agents', 'Change'],
  CAN_DELETE_AGENT: ['Agents', 'Delete'],
  CAN_LIST_AGENT_SESSIONS: ['Sessions', 'List'],
  CAN_GET_AGENT_SESSION: ['Sessions', 'Read'],
  CAN_CREATE_AGENT_SESSION: ['Sessions', 'Create'],
  CAN_UPDATE_AGENT_SESSION: ['Sessions', 'Change'],
  CAN_DELETE_AGENT_SESSION: ['Sessions', 'Delete'],
  CAN_LIST_SESSION_MESSAGES: ['Messages', 'List'],
  CAN_GET_SESSION_MESSAGE: ['Messages', 'Read'],
  CAN_QUERY_SESSION_MESSAGES: ['Messages', 'Search'],
  CAN_CREATE_SESSION_MESSAGE: ['Messages', 'Create'],
  CAN_UPDATE_SESSION_MESSAGE: ['Messages', 'Change'],
  CAN_DELETE_SESSION_MESSAGE: ['Messages', 'Delete'],
  CAN_LIST_SESSION_MEMORIES: ['Memories', 'List'],
  CAN_GET_SESSION_MEMORY: ['Memories', 'Read'],
  CAN_QUERY_SESSION_MEMORIES: ['Memories', 'Search'],
  CAN_CREATE_SESSION_MEMORY: ['Memories', 'Create'],
  CAN_UPDATE_SESSION_MEMORY: ['Memories', 'Change'],
  CAN_DELETE_SESSION_MEMORY: ['Memories', 'Delete'],
};

export const everyPermission = Object.keys(places) as Permission[];

export function permissionAt(group: Group, verb: Verb): Permission | undefined {
  return everyPermission.find((permission) => places[permission][0] === group && places[permission][1] === verb);
}

export type PresetName = 'runtime' | 'read' | 'ingest' | 'everything';

interface Preset {
  readonly label: string;
  readonly note: string;
  readonly holds: (group: Group, verb: Verb) => boolean;
}

const reading: readonly Verb[] = ['List', 'Read', 'Search'];

/** What an agent needs while it talks: its conversations, and of the rest what it is given to work with. */
function runtimeHolds(group: Group, verb: Verb): boolean {
  if (group === 'Messages' || group === 'Memories') return true;
  if (group === 'Sessions') return verb !== 'Delete';
  return group === 'Documents' ? verb === 'Search' : verb === 'Read';
}

export const presets: Readonly<Record<PresetName, Preset>> = {
  runtime: { label: 'Runtime', note: 'An agent that talks and remembers', holds: runtimeHolds },
  read: { label: 'Read only', note: 'Reports and notebooks', holds: (_, verb) => reading.includes(verb) },
  ingest: { label: 'Knowledge ingest', note: 'Uploads documents', holds: (group) => group === 'Documents' },
  everything: { label: 'Everything', note: `All ${everyPermission.length}, deleting too`, holds: () => true },
};

export const presetNames = Object.keys(presets) as PresetName[];

export function permissionsOf(preset: PresetName): Permission[] {
  return everyPermission.filter((permission) => presets[preset].holds(...places[permission]));
}

/** What an agent is given when it is first connected. */
export const runtimeSummary = `${presets.runtime.label}, ${permissionsOf('runtime').length} of ${everyPermission.length} permissions`;

/** The preset that is exactly these; undefined where none is. */
export function presetOf(permissions: readonly Permission[]): PresetName | undefined {
  const held = new Set(permissions);
  return presetNames.find((name) => {
    const wanted = permissionsOf(name);
    return wanted.length === held.size && wanted.every((permission) => held.has(permission));
  });
}

/** "Runtime", or "Custom". */
export function summaryOf(permissions: readonly Permission[]): string {
  const preset = presetOf(permissions);
  return preset ? presets[preset].label : 'Custom';
}
