/** One who follows events: first what came since the last that they know, then what comes. */
import type { EventStream } from '../http/event-streams.ts';
import type { EventFeed, FollowedPage, Follower } from './feed.ts';
import { eventIdOf } from './ids.ts';
import type { EventSelection } from './store.ts';

/** How soon a caller comes again whose stream ended. */
const RETRY_MS = 1_000;

export function followEvents(stream: EventStream, feed: EventFeed, workspaceId: string, selection: EventSelection, now: string): void {
  const reader = new StreamReader(stream, feed, workspaceId, selection);
  // With where it begins: who is cut off before the first event misses none.
  stream.write(`retry: ${RETRY_MS}\nid: ${eventIdOf(workspaceId, selection.afterSeq, now)}\n\n`);
  const leave = feed.follow(workspaceId, reader);
  stream.onClose(leave);
  reader.catchUp();
}

/**
 * Whoever reads slowly is not waited for, and nothing is kept for them: when they have read what they were sent, they are sent what came
 * meanwhile as if they had come anew.
 */
class StreamReader implements Follower {
  readonly #stream: EventStream;
  readonly #feed: EventFeed;
  readonly #workspaceId: string;
  readonly selection: EventSelection;
  /** They were sent everything up to here. */
  #throughSeq: number;
  #isReading = false;
  #isBehind = true;

  constructor(stream: EventStream, feed: EventFeed, workspaceId: string, selection: EventSelection) {
    this.#stream = stream;
    this.#feed = feed;
    this.#workspaceId = workspaceId;
    this.selection = selection;
    this.#throughSeq = selection.afterSeq;
  }

  receive({ sinceSeq, throughSeq, events, joined }: FollowedPage): void {
    if (throughSeq <= this.#throughSeq && !this.#isReading) return;
    // Something before it is not known to them, or they have to read first.
    if (this.#isReading || this.#stream.isFull || sinceSeq > this.#throughSeq) {
      this.#isBehind = true;
      this.catchUp();
      return;
    }
    const isWhole = sinceSeq === this.#throughSeq;
    const texts = isWhole
      ? joined
      : events
          .filter(({ seq }) => seq > this.#throughSeq)
          .map(({ text }) => text)
          .join('');
    if (texts !== '') this.#stream.write(texts);
    this.#throughSeq = throughSeq;
  }

  catchUp(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    void this.#readOn().finally(() => {
      this.#isReading = false;
    });
  }

  async #readOn(): Promise<void> {
    try {
      while (this.#isBehind && this.#stream.isOpen) {
        if (this.#stream.isFull) await this.#stream.drained();
        this.#isBehind = false;
        const { joined, throughSeq, isMore } = await this.#feed.read(this.#workspaceId, { ...this.selection, afterSeq: this.#throughSeq });
        if (joined !== '') this.#stream.write(joined);
        this.#throughSeq = throughSeq;
        if (isMore) this.#isBehind = true;
      }
    } catch {
      // Their caller comes again, and goes on from the last that came.
      this.#stream.end();
    }
  }
}
