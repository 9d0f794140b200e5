import type { MemoryEvent } from '@commonplace/client';

export interface DescribedEvent {
  readonly event: MemoryEvent;
  /** What the memory said then. */
  readonly said: string;
  /** Whether it no longer held after this. */
  readonly ended: boolean;
  /** Whether it is what holds now. */
  readonly now: boolean;
}

const ends: readonly MemoryEvent['event'][] = ['superseded', 'withdrawn', 'expired'];

/** Newest first. An event without a text is about what the memory said before. */
export function describeHistory(events: readonly MemoryEvent[], memoryId: string): DescribedEvent[] {
  const lastSaid = new Map<string, string>();
  const described = events.map((event) => {
    if (event.content !== null) lastSaid.set(event.memoryId, event.content);
    return { event, said: lastSaid.get(event.memoryId) ?? '', ended: ends.includes(event.event), now: false };
  });
  const last = described.findLast(({ event }) => event.memoryId === memoryId);
  return described.map((one) => (one === last && !one.ended ? { ...one, now: true } : one)).reverse();
}
