/** The names of what the log tells of. It keeps ids, and a name only where one was given or changed. */
import type { Audit, WorkspaceResources } from '@commonplace/client';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { forEachFewAtOnce } from '../../api/few-at-once.ts';
import { isStatus } from '../../api/refusals.ts';

export interface ResourceName {
  readonly name: string | undefined;
  /** It is not there any more. */
  readonly isGone: boolean;
}

/** By id, which no two things share. What could not be found out is not in it. */
export type ResourceNames = ReadonlyMap<string, ResourceName>;

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Kind {
  /** As query keys name it. */
  readonly resource: string;
  list(workspace: WorkspaceResources, signal: AbortSignal): Promise<{ readonly named: readonly Named[]; readonly total: number }>;
  /** One that the list did not reach. */
  get?(workspace: WorkspaceResources, id: string, signal: AbortSignal): Promise<string>;
}

const limit = 100;

const kinds = {
  agent: {
    resource: 'agents',
    list: async ({ agents }, signal) => {
      const { data, meta } = await agents.list({ limit }, { signal });
      return { named: data, total: meta.total };
    },
    get: async ({ agents }, id, signal) => (await agents.get(id, { signal })).name,
  },
  prompt: {
    resource: 'prompts',
    list: async ({ prompts }, signal) => {
      const { data, meta } = await prompts.list({ limit }, { signal });
      return { named: data.map(({ promptId, name }) => ({ id: promptId, name })), total: meta.total };
    },
    get: async ({ prompts }, id, signal) => (await prompts.getById(id, { signal })).name,
  },
  document: {
    resource: 'documents',
    list: async ({ documents }, signal) => {
      const { data, meta } = await documents.list({ limit }, { signal });
      return { named: data.map(({ id, title }) => ({ id, name: title })), total: meta.total };
    },
    get: async ({ documents }, id, signal) => (await documents.get(id, { signal })).title,
  },
  access_key: {
    resource: 'keys',
    list: async ({ accessKeys }, signal) => {
      const { data, meta } = await accessKeys.list({ limit }, { signal });
      return { named: data, total: meta.total };
    },
    get: async ({ accessKeys }, id, signal) => (await accessKeys.get(id, { signal })).name,
  },
  member: {
    resource: 'members',
    list: async ({ members }, signal) => {
      const { data, meta } = await members.list({ limit }, { signal });
      return { named: data.map(({ userId, name }) => ({ id: userId, name })), total: meta.total };
    },
  },
} as const satisfies Readonly<Record<string, Kind>>;

type KindName = keyof typeof kinds;
const kindNames = Object.keys(kinds) as readonly KindName[];
const isKind = (type: string): type is KindName => Object.hasOwn(kinds, type);

/** What the detail says, where it is an object. */
export const detailOf = ({ detail }: Audit): Readonly<Record<string, unknown>> =>
  typeof detail === 'object' && detail !== null ? (detail as Readonly<Record<string, unknown>>) : {};

/** The name that the entry itself gives to what it was done to. */
export function recordedName(entry: Audit): string | undefined {
  const { name, title, email } = detailOf(entry);
  const given = name ?? title ?? email;
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** Every id of a kind that the entries name: what was done to, by whom, and what the details point at. */
export function idsNamedBy(entries: readonly Audit[]): ReadonlyMap<KindName, readonly string[]> {
  const ids = new Map<KindName, Set<string>>(kindNames.map((kind) => [kind, new Set()]));
  const add = (kind: KindName, id: unknown) => typeof id === 'string' && id !== '' && ids.get(kind)?.add(id);
  for (const entry of entries) {
    const { agentId, agentIds, promptId } = detailOf(entry);
    if (isKind(entry.resourceType)) add(entry.resourceType, entry.resourceId);
    if (entry.actorType === 'user') add('member', entry.actorId);
    if (entry.actorType === 'access-key') add('access_key', entry.actorId);
    add('agent', agentId);
    if (Array.isArray(agentIds)) for (const id of agentIds) add('agent', id);
    add('prompt', promptId);
  }
  return new Map([...ids].map(([kind, of]) => [kind, [...of].sort()]));
}

async function findNames(workspaceId: string, kind: Kind, ids: readonly string[], signal: AbortSignal): Promise<ResourceNames> {
  const workspace = client.workspace(workspaceId);
  const { named, total } = await kind.list(workspace, signal);
  const found = new Map<string, ResourceName>(named.map(({ id, name }) => [id, { name, isGone: false }]));
  const missing = ids.filter((id) => !found.has(id));
  if (total <= named.length) for (const id of missing) found.set(id, { name: undefined, isGone: true });
  else if (kind.get)
    await forEachFewAtOnce(missing, async (id) => {
      try {
        found.set(id, { name: await kind.get?.(workspace, id, signal), isGone: false });
      } catch (error) {
        if (!isStatus(error, 404)) throw error;
        found.set(id, { name: undefined, isGone: true });
      }
    });
  return found;
}

/** What is gone has the name that another entry gives it: as who did something, else as what it was done to. */
export function withRecorded(found: ResourceNames, entries: readonly Audit[]): ResourceNames {
  const names = new Map(found);
  const add = (id: string, name: string | undefined) => {
    const known = names.get(id);
    if (id && name && !known?.name) names.set(id, { name, isGone: known?.isGone ?? false });
  };
  for (const { actorId, actorName } of entries) add(actorId, actorName);
  for (const entry of entries) add(entry.resourceId, recordedName(entry));
  return names;
}

export function useResourceNames(workspaceId: string, entries: readonly Audit[]): ResourceNames {
  const ids = idsNamedBy(entries);
  const answers = useQueries({
    queries: kindNames.map((name) => {
      const kind: Kind = kinds[name];
      const wanted = ids.get(name) ?? [];
      return {
        queryKey: ['workspace', workspaceId, kind.resource, 'names', wanted],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => findNames(workspaceId, kind, wanted, signal),
        enabled: wanted.length > 0,
        staleTime: 15_000,
        placeholderData: keepPreviousData,
      };
    }),
  });
  return withRecorded(new Map(answers.flatMap(({ data }) => (data ? [...data] : []))), entries);
}
