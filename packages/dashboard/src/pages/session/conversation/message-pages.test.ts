import type { Message } from '@commonplace/client';
import { expect, test, vi } from 'vitest';
import { MessagePages, PAGE_SIZE } from './message-pages.ts';

const idOf = (serial: number) => `019a0000-0000-7000-8000-${serial.toString(16).padStart(12, '0')}`;
const messageOf = (serial: number, content = `message ${serial}`): Message => ({
  id: idOf(serial),
  sessionId: 'session',
  role: 'user',
  content,
  meta: {},
  createdAt: '2026-11-15T09:00:00.000Z',
  updatedAt: '2026-11-15T09:00:00.000Z',
});

/** A session in memory; serials leave room for what is inserted between. */
function serve(count: number) {
  const messages = Array.from({ length: count }, (_, at) => messageOf((at + 1) * 10));
  const asked: number[] = [];
  const waiting: (() => void)[] = [];
  const state = { held: false };
  const read = async ({ offset, limit }: { offset: number; limit: number }, signal: AbortSignal) => {
    asked.push(offset);
    if (state.held)
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    signal.throwIfAborted();
    return { data: messages.slice(offset, offset + limit), meta: { total: messages.length } };
  };
  const release = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { messages, asked, state, release, pages: new MessagePages(read) };
}

const signal = new AbortController().signal;
const serials = (pages: MessagePages) =>
  Array.from({ length: pages.total }, (_, at) => pages.at(at)).flatMap((message) =>
    message ? [Number.parseInt(message.id.slice(-12), 16)] : [],
  );

test('opens at both ends and leaves the rest unread', async () => {
  const { pages, asked } = serve(1_050);
  await pages.open(signal);
  expect(pages.total).toBe(1_050);
  expect(asked).toEqual([0, 1_000]);
  expect(pages.at(0)?.id).toBe(idOf(10));
  expect(pages.at(1_049)?.id).toBe(idOf(10_500));
  expect(pages.at(500)).toBeUndefined();
});

test('reads what is shown, and gives up what was passed over', async () => {
  vi.useFakeTimers();
  const { pages, asked, state, release } = serve(10_000);
  await pages.open(signal);
  asked.length = 0;
  state.held = true;
  // A drag: many places, none of them for long.
  for (let at = 9_000; at > 5_000; at -= 50) pages.show(at, at + 10);
  await vi.advanceTimersByTimeAsync(100);
  expect(asked).toEqual([5_000, 5_100]);
  pages.show(2_020, 2_030);
  await vi.advanceTimersByTimeAsync(100);
  expect(asked.slice(2)).toEqual([1_900, 2_000]);
  release();
  await vi.advanceTimersByTimeAsync(1);
  expect(pages.at(2_025)?.id).toBe(idOf(20_260));
  expect(pages.at(5_050)).toBeUndefined();
  vi.useRealTimers();
});

test('a drag through a long session asks for where it rests, and gives up what it rested on before', async () => {
  vi.useFakeTimers();
  const { pages, asked, state, release } = serve(3_000);
  await pages.open(signal);
  asked.length = 0;
  state.held = true;
  // A frame for every half page, with a rest in the middle.
  const drag = async (from: number, to: number) => {
    for (let at = from; at >= to; at -= 50) {
      pages.show(at, at + 10);
      await vi.advanceTimersByTimeAsync(16);
    }
  };
  await drag(2_980, 1_530);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual([1_400, 1_500]);
  await drag(1_480, 430);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked.slice(2)).toEqual([300, 400]);
  release();
  await vi.advanceTimersByTimeAsync(1);
  expect(pages.at(1_530)).toBeUndefined();
  expect(pages.at(430)?.id).toBe(idOf(4_310));
  vi.useRealTimers();
});

test('new messages are appended; what others inserted or deleted before is read anew', async () => {
  const { pages, messages } = serve(250);
  await pages.open(signal);
  pages.show(200, 249);
  messages.push(messageOf(2_510), messageOf(2_520));
  expect(await pages.poll(signal)).toBe(252);
  expect(pages.at(251)?.id).toBe(idOf(2_520));

  messages.splice(240, 0, messageOf(2_405));
  await pages.poll(signal);
  await vi.waitFor(() => expect(pages.at(240)?.id).toBe(idOf(2_405)));
  messages.splice(0, 1);
  await pages.poll(signal);
  await vi.waitFor(() => expect(pages.at(239)?.id).toBe(idOf(2_405)));

  // One more before, one less after: the end looks the same, and what is shown is read now and then.
  messages.splice(230, 0, messageOf(2_315));
  messages.splice(235, 1);
  await pages.poll(signal);
  await pages.refresh();
  expect(pages.at(230)?.id).toBe(idOf(2_315));
  const known = serials(pages);
  expect(new Set(known).size).toBe(known.length);
});

test('a deleted message closes the gap, and none is at two places', async () => {
  const { pages, messages } = serve(320);
  await pages.open(signal);
  await pages.load(150);
  pages.show(100, 160);
  messages.splice(120, 1);
  pages.remove(idOf(1_210));
  expect(pages.total).toBe(319);
  expect(pages.at(120)?.id).toBe(idOf(1_220));
  expect(pages.placeOf(idOf(3_200))).toBe(318);
  await vi.waitFor(() => expect(pages.at(199)?.id).toBe(idOf(2_010)));
  const known = serials(pages);
  expect(known).toEqual([...known].sort((one, other) => one - other));
});

test('an own message is there once, also when the next question brings it too', async () => {
  const { pages, messages } = serve(3);
  await pages.open(signal);
  const written = messageOf(40);
  messages.push(written);
  pages.append(written);
  await pages.poll(signal);
  expect(serials(pages)).toEqual([10, 20, 30, 40]);
  pages.replace({ ...written, content: 'edited' });
  expect(pages.at(3)?.content).toBe('edited');
});

test('an answer that was under way does not undo an edit', async () => {
  const { pages, state, release, messages } = serve(3);
  await pages.open(signal);
  state.held = true;
  const polled = pages.poll(signal);
  const refreshed = pages.refresh();
  // The service read the old text before it wrote the new one; its answers come after.
  const edited = { ...messageOf(30, 'edited'), updatedAt: '2026-11-15T09:00:01.000Z' };
  pages.replace(edited);
  release();
  await Promise.all([polled, refreshed]);
  expect(pages.at(2)?.content).toBe('edited');

  // What somebody else wrote later is taken.
  state.held = false;
  messages[2] = { ...messageOf(30, 'edited again'), updatedAt: '2026-11-15T09:00:02.000Z' };
  await pages.refresh();
  expect(pages.at(2)?.content).toBe('edited again');
});

test('an empty session gets its first message', async () => {
  const { pages, messages } = serve(0);
  await pages.open(signal);
  expect(pages.isLoaded).toBe(true);
  messages.push(messageOf(10));
  await pages.poll(signal);
  expect(serials(pages)).toEqual([10]);
});

test('lets go of pages that are far away', async () => {
  const { pages } = serve(100 * PAGE_SIZE);
  await pages.open(signal);
  for (let page = 0; page < 60; page++) {
    pages.show(page * PAGE_SIZE, page * PAGE_SIZE + 5);
    await pages.load(page * PAGE_SIZE + 50);
  }
  expect(serials(pages).length).toBeLessThanOrEqual(31 * PAGE_SIZE);
  expect(pages.at(59 * PAGE_SIZE)).toBeDefined();
  pages.close();
});

test('a failure is kept until a try succeeds', async () => {
  let fails = false;
  const { messages } = serve(500);
  const pages = new MessagePages(async ({ offset, limit }) => {
    if (fails) throw new Error('503');
    return { data: messages.slice(offset, offset + limit), meta: { total: messages.length } };
  });
  await pages.open(signal);
  fails = true;
  await expect(pages.load(250)).rejects.toThrow('503');
  expect(pages.failure).toBeInstanceOf(Error);
  fails = false;
  await pages.load(250);
  expect(pages.failure).toBeUndefined();
  expect(pages.at(250)).toBeDefined();
});
