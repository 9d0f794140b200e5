import { expect, test } from 'vitest';
import type { EventStream } from '../http/event-streams.ts';
import type { EventFeed, FollowedPage, Follower } from './feed.ts';
import { followEvents } from './streaming.ts';

/** A workspace with events 1, 2, 3, … and one who follows it. */
class Stage {
  head = 0;
  isFull = false;
  readonly written: string[] = [];
  reads = 0;
  follower: Follower | undefined;
  #drain: () => void = () => undefined;
  /** What a read waits for, where the test holds it up. */
  held: Promise<void> | undefined;

  follow(afterSeq = 0): void {
    const stream = {
      isOpen: true,
      write: (text: string) => text.startsWith('retry') || this.written.push(text),
      onClose: () => undefined,
      drained: () => new Promise<void>((resolve) => (this.#drain = resolve)),
      end: () => this.written.push('ended'),
    };
    Object.defineProperty(stream, 'isFull', { get: () => this.isFull });
    const feed = {
      follow: (_workspaceId: string, follower: Follower) => {
        this.follower = follower;
        return () => undefined;
      },
      read: async (_workspaceId: string, { afterSeq: since }: { afterSeq: number }) => {
        this.reads++;
        const head = this.head;
        await this.held;
        const throughSeq = Math.min(head, since + 100);
        return { joined: texts(since, throughSeq), throughSeq, isMore: throughSeq < head };
      },
    };
    const selection = { afterSeq, types: undefined };
    followEvents(stream as unknown as EventStream, feed as unknown as EventFeed, 'workspace', selection, '2026-11-15T09:30:00.000Z');
  }

  /** As the feed tells of them. */
  tell(sinceSeq: number, throughSeq: number): void {
    this.head = Math.max(this.head, throughSeq);
    const events = Array.from({ length: throughSeq - sinceSeq }, (_, index) => ({
      seq: sinceSeq + index + 1,
      text: `${sinceSeq + index + 1} `,
    }));
    this.follower?.receive({ sinceSeq, throughSeq, events, joined: texts(sinceSeq, throughSeq) } satisfies FollowedPage);
  }

  drain(): void {
    this.isFull = false;
    this.#drain();
  }
}

const texts = (since: number, through: number) => Array.from({ length: through - since }, (_, index) => `${since + index + 1} `).join('');
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('what came since the last that they know, then what comes, without asking again', async () => {
  const stage = new Stage();
  stage.head = 250;
  stage.follow(20);
  await settled();
  expect(stage.written.join('')).toBe(texts(20, 250));
  const { reads } = stage;
  stage.tell(250, 260);
  stage.tell(260, 261);
  expect(stage.written.join('')).toBe(texts(20, 261));
  expect(stage.reads).toBe(reads);
});

test('what they read by themselves is not told again, in whole or in part', async () => {
  const stage = new Stage();
  stage.head = 10;
  stage.follow();
  await settled();
  stage.tell(5, 10);
  stage.tell(8, 14);
  expect(stage.written.join('')).toBe(texts(0, 14));
});

test('what comes while they read is read after it', async () => {
  const stage = new Stage();
  stage.head = 3;
  let go: () => void = () => undefined;
  stage.held = new Promise((resolve) => (go = resolve));
  stage.follow();
  await settled();
  stage.tell(3, 6);
  go();
  await settled();
  expect(stage.written.join('')).toBe(texts(0, 6));
});

test('a gap before what comes is filled first', async () => {
  const stage = new Stage();
  stage.follow();
  await settled();
  stage.tell(7, 9);
  await settled();
  expect(stage.written.join('')).toBe(texts(0, 9));
});

test('nothing is kept for who does not read: it is read when they have', async () => {
  const stage = new Stage();
  stage.follow();
  await settled();
  stage.isFull = true;
  for (let seq = 0; seq < 1_000; seq++) stage.tell(seq, seq + 1);
  await settled();
  expect(stage.written).toStrictEqual([]);
  const { reads } = stage;
  stage.drain();
  await settled();
  expect(stage.written.join('')).toBe(texts(0, 1_000));
  expect(stage.reads - reads).toBe(10);
});
