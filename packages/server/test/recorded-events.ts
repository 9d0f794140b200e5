/** Events of a workspace, as a test reads them. */
import type { Answer, Client, TestWorkspace } from './api.ts';

export type RecordedEvent = Answer['body'];

/** All of those after one, or all that there are; oldest first. */
export async function eventsOf(
  workspace: Pick<TestWorkspace, 'url' | 'owner'>,
  query = '',
  reader: Client = workspace.owner,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const after = events.length === 0 ? '' : `&after=${events.at(-1).id}`;
    const { status, body, text } = await reader.get(`${workspace.url}/events?limit=100&${query}${after}`);
    if (status !== 200) throw new Error(`Expected 200, got ${status}: ${text}`);
    events.push(...body.events);
    if (body.events.length < 100) return events;
  }
}

export async function countEvents(workspace: Pick<TestWorkspace, 'url' | 'owner'>): Promise<number> {
  return (await workspace.owner.get(`${workspace.url}/events?limit=1`)).body._meta.total;
}

/** What happened while something was done. */
export async function eventsDuring(
  workspace: Pick<TestWorkspace, 'url' | 'owner'>,
  work: () => Promise<unknown>,
): Promise<RecordedEvent[]> {
  const before = (await eventsOf(workspace)).length;
  await work();
  return (await eventsOf(workspace)).slice(before);
}

export function typesOf(events: readonly RecordedEvent[]): string[] {
  return events.map(({ type }) => type);
}
