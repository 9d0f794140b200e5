/** What events are about, as the API gives it: read when the event is, so that what was deleted is told to nobody. */
import { type Event, type EventSubject, type EventType, subjectOfType } from '@commonplace/contract/events';
import { requireAccessKey } from '../access-keys/store.ts';
import { requireAgent } from '../agents/store.ts';
import type { Queryable } from '../db/database.ts';
import { findDocument } from '../documents/store.ts';
import { isNotFound } from '../errors.ts';
import { requireReceipt } from '../forgetting/store.ts';
import { requireInvite } from '../invites/store.ts';
import { findMember } from '../members/store.ts';
import { findMemoriesById } from '../memories/store/memories.ts';
import { findMessagesById } from '../messages/store.ts';
import { describeSmallVersion, findPromptVersion, findSelectedVersion, type ReadVersion, requirePrompt } from '../prompts/store.ts';
import { requireSession } from '../sessions/store.ts';
import { requireWebhook } from '../webhooks/store.ts';
import { findWorkspaceName } from '../workspaces/store.ts';
import { eventIdOf } from './ids.ts';
import type { EventRow } from './store.ts';

/** Larger ones are named by their ids alone. */
const LARGEST_RESOURCE_BYTES = 64_000;

interface Place {
  readonly workspaceId: string;
  readonly nowMs: number;
}

/** By the ids of their subjects; what is gone or too large is missing. */
type Resources = ReadonlyMap<string, object>;
type Loader = (db: Queryable, place: Place, events: readonly EventRow[]) => Promise<Resources>;

/** Those of which there are many are read together. */
const loaders: Record<EventSubject, Loader> = {
  message: ofSessions(findMessagesById),
  memory: ofSessions(findMemoriesById),
  workspace: oneByOne((db, { workspaceId }) => findWorkspaceName(db, workspaceId)),
  member: oneByOne((db, { workspaceId }, { subjectId }) => findMember(db, workspaceId, subjectId)),
  invite: oneByOne((db, { workspaceId, nowMs }, { subjectId }) => requireInvite(db, workspaceId, subjectId, nowMs)),
  key: oneByOne((db, { workspaceId }, { subjectId }) => requireAccessKey(db, workspaceId, subjectId)),
  agent: oneByOne((db, { workspaceId }, { subjectId }) => requireAgent(db, workspaceId, subjectId)),
  session: oneByOne((db, { workspaceId }, { subjectId, agentId }) =>
    requireSession(db, { workspaceId, agentId: agentId as string, sessionId: subjectId }),
  ),
  prompt: oneByOne((db, { workspaceId }, { subjectId }) => requirePrompt(db, { workspaceId, promptId: subjectId })),
  prompt_version: oneByOne(async (db, { workspaceId }, { subjectId, data }) => {
    const version = await findPromptVersion(db, { workspaceId, promptId: String(data?.promptId), promptVersionId: subjectId });
    return version && describeVersion(version);
  }),
  document: oneByOne((db, { workspaceId }, { subjectId }) => findDocument(db, { workspaceId, documentId: subjectId })),
  webhook: oneByOne((db, { workspaceId }, { subjectId }) => requireWebhook(db, workspaceId, subjectId)),
  subject: oneByOne((db, { workspaceId }, { subjectId }) => requireReceipt(db, workspaceId, subjectId)),
};

/** What stands beside the resource of some. */
const companions: Partial<Record<EventType, (db: Queryable, place: Place, event: EventRow) => Promise<Record<string, object>>>> = {
  'prompt.promoted': async (db, { workspaceId }, { subjectId, data }) => {
    const version = await findSelectedVersion(db, { workspaceId, promptId: subjectId }, Number(data?.version));
    return version ? { promptVersion: withinSize(describeVersion(version), version.id) } : {};
  },
};

/** The names under which `data` holds them. */
const names: Partial<Record<EventSubject, string>> = { prompt_version: 'promptVersion', subject: 'receipt' };

/** Events as the API gives them, in their order. */
export async function describeEvents(db: Queryable, place: Place, events: readonly EventRow[]): Promise<Event[]> {
  const bySubject = Map.groupBy(events, ({ type }) => subjectOfType(type));
  const loaded = new Map<EventSubject, Resources>();
  await Promise.all(
    [...bySubject].map(async ([subject, some]) => {
      loaded.set(subject, await loaders[subject](db, place, some));
    }),
  );
  const described: Event[] = [];
  for (const event of events) {
    const subject = subjectOfType(event.type);
    const resource = withinSize(loaded.get(subject)?.get(event.subjectId), event.subjectId);
    const findBeside = companions[event.type];
    const beside = findBeside && (await findBeside(db, place, event));
    described.push(describe(place.workspaceId, event, { [names[subject] ?? subject]: resource, ...beside }));
  }
  return described;
}

function describe(workspaceId: string, event: EventRow, resources: Record<string, object>): Event {
  const { seq, type, agentId, sessionId, data, createdAt } = event;
  return {
    id: eventIdOf(workspaceId, seq, createdAt),
    type,
    workspaceId,
    createdAt,
    ...(agentId !== null && { agentId }),
    ...(sessionId !== null && { sessionId }),
    data: { ...resources, ...data },
  };
}

/** A large one is left out anyhow, and not looked through for that. */
function describeVersion(version: ReadVersion): ReadVersion {
  return isSmall(version) ? describeSmallVersion(version) : version;
}

/** Its id alone where it is gone or too large. */
function withinSize(resource: object | undefined, id: string): object {
  return resource && isSmall(resource) ? resource : { id };
}

function isSmall(resource: object): boolean {
  return Buffer.byteLength(JSON.stringify(resource)) <= LARGEST_RESOURCE_BYTES;
}

type FindAll = (
  db: Queryable,
  workspaceId: string,
  wanted: readonly { sessionId: string; id: string }[],
  mostBytes: number,
) => Promise<readonly { id: string }[]>;

function ofSessions(find: FindAll): Loader {
  return async (db, { workspaceId }, events) => {
    const wanted = new Map(events.map(({ subjectId, sessionId }) => [subjectId, { id: subjectId, sessionId: sessionId as string }]));
    const found = await find(db, workspaceId, [...wanted.values()], LARGEST_RESOURCE_BYTES);
    return new Map(found.map((resource) => [resource.id, resource]));
  };
}

function oneByOne(find: (db: Queryable, place: Place, event: EventRow) => Promise<object | undefined>): Loader {
  return async (db, place, events) => {
    const found = new Map<string, object>();
    const wanted = new Map(events.map((event) => [event.subjectId, event]));
    for (const [id, event] of wanted) {
      const resource = await find(db, place, event).catch(undefinedIfMissing);
      if (resource) found.set(id, resource);
    }
    return found;
  };
}

function undefinedIfMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
