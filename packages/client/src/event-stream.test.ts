import { expect, test } from 'vitest';
import { EventStreamParser, type StreamedEvent } from './event-stream.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Read in pieces of so many bytes. */
function parse(text: string, size = Number.POSITIVE_INFINITY): { events: StreamedEvent[]; retryMs: number | undefined } {
  const bytes = bytesOf(text);
  const parser = new EventStreamParser();
  const events: StreamedEvent[] = [];
  for (let start = 0; start < bytes.length; start += size) events.push(...parser.parse(bytes.subarray(start, start + size)));
  return { events, retryMs: parser.retryMs };
}

const cases: readonly (readonly [string, string, StreamedEvent[]])[] = [
  ['an event', 'id: 1\nevent: message.created\ndata: {"a":1}\n\n', [{ id: '1', data: '{"a":1}' }]],
  ['line ends of all three kinds', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c'].map((data) => ({ id: undefined, data }))],
  ['a line end that is cut in two', 'id: 1\r\ndata: a\r\ndata: b\r\n\r\n', [{ id: '1', data: 'a\nb' }]],
  ['several lines of data', 'data: a\ndata:\ndata:  b\n\n', [{ id: undefined, data: 'a\n\n b' }]],
  ['comments and unknown fields', ': hello\n:\nnothing: x\ndata: a\n: still\n\n: \n\n', [{ id: undefined, data: 'a' }]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [{ id: undefined, data: 'a' }]],
  ['a mark that is none', 'data: \uFEFFa\n\n', [{ id: undefined, data: '\uFEFFa' }]],
  ['characters of several bytes', 'data: Grüße 🐦 漢字\n\n', [{ id: undefined, data: 'Grüße 🐦 漢字' }]],
  [
    'an id that holds on, and one that is only said',
    'id: 1\ndata: a\n\ndata: b\n\nid: 2\n\n',
    [
      { id: '1', data: 'a' },
      { id: '1', data: 'b' },
      { id: '2', data: undefined },
    ],
  ],
  ['no id with a zero in it', 'id: 1\0\ndata: a\n\n', [{ id: undefined, data: 'a' }]],
  ['an empty event that is one', 'data\n\n', [{ id: undefined, data: '' }]],
  ['what is cut off', 'data: a\n\nid: 2\ndata: b\n', [{ id: undefined, data: 'a' }]],
];

test.for(cases)('%s', ([, text, events]) => {
  for (const size of [1, 2, 3, 7, undefined]) expect(parse(text, size).events).toEqual(events);
});

test('how long to wait, in digits only', () => {
  expect(parse('retry: 1500\n\n').retryMs).toBe(1500);
  expect(parse('retry: 1500\n\nretry: soon\n\nretry: -1\n\nretry:\n\n').retryMs).toBe(1500);
  expect(parse('data: a\n\n').retryMs).toBeUndefined();
});
