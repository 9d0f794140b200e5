import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { firstByteOf, parseRecord, type RecordReader, readElements, readLineRecords } from './records.ts';

function fileOf(content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-records-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'records.json');
  writeFileSync(file, content);
  return file;
}

async function textsOf(records: RecordReader): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = [];
  for await (const { bytes } of records) texts.push(bytes?.toString().trim());
  return texts;
}

test.each([
  ['[]', []],
  ['[1, "two", {"a": [3, "]"]}, [4], null]', ['1', '"two"', '{"a": [3, "]"]}', '[4]', 'null']],
  ['\uFEFF [\r\n {"a": "\\"],["} ,\r\n{}\r\n]\r\n', ['{"a": "\\"],["}', '{}']],
  ['["\\\\", "\\\\\\"", "é]😀"]', ['"\\\\"', '"\\\\\\""', '"é]😀"']],
  ['[{}] and whatever follows', ['{}']],
  ['{"count": 2, "results": [{"id": 1}, {"id": 2}], "next": [9]}', ['{"id": 1}', '{"id": 2}']],
  ['{"other": [1, {"results": [2]}], "note": "results", "deep": {"results": [3]}, "results": [4]}', ['4']],
])('the elements of %j', async (content, expected) => {
  expect(await textsOf(readElements(fileOf(content), ['results']))).toEqual(expected);
});

test.each([
  ['', 'it is empty'],
  [' \r\n', 'it is empty'],
  ['"text"', 'it is neither a JSON list nor an object'],
  ['{"other": 1}', 'there is no list in it'],
  ['{"other": 1', 'there is no list in it'],
  ['[1, {"a": 2', 'it ends in the middle, behind element 1'],
  ['[1, 2', 'it ends in the middle, behind element 1'],
])('%j is refused: %s', async (content, message) => {
  await expect(textsOf(readElements(fileOf(content), ['results']))).rejects.toThrow(message);
});

test('elements are found wherever the file is cut, with their places', async () => {
  const elements = Array.from({ length: 3_000 }, (_, index) =>
    JSON.stringify({ index, text: `"${'\\'.repeat(index % 5)}[{é`.repeat(index % 90) }),
  );
  const content = Buffer.from(`[${elements.join(',')}]`);
  expect(content.length).toBeGreaterThan(3 * 256 * 1024);
  let index = 0;
  let read = 0;
  for await (const { number, offset, length, bytes } of readElements(fileOf(content), [], (count) => (read += count))) {
    expect(bytes?.toString()).toBe(elements[index++]);
    expect(number).toBe(index);
    expect(content.subarray(offset, offset + length).toString()).toBe(elements[index - 1]);
  }
  expect(index).toBe(3_000);
  expect(read).toBe(content.length);
});

test('one that is too long is passed over without being held', async () => {
  const long = `{"a": "${'x'.repeat(2_000)}"}`;
  expect(await textsOf(readElements(fileOf(`[1, ${long}, 2]`), [], undefined, 1_000))).toEqual(['1', undefined, '2']);
  expect(await textsOf(readLineRecords(fileOf(`1\n${long}\n2`), undefined, 1_000))).toEqual(['1', undefined, '2']);
});

test('lines, whatever ends them, without those that hold nothing', async () => {
  const file = fileOf('\uFEFF{"a": 1}\r\n\r\n  \n{"b": "\u2028"}\n{"c": 3}');
  const numbers: number[] = [];
  for await (const { number, bytes } of readLineRecords(file)) {
    expect(parseRecord(bytes)).toHaveProperty('value');
    numbers.push(number);
  }
  expect(numbers).toEqual([1, 4, 5]);
  expect(await textsOf(readLineRecords(fileOf('')))).toEqual([]);
  expect(await firstByteOf(file)).toBe('{');
  expect(await firstByteOf(fileOf(''))).toBe('');
});

test('a value deep inside others is read or refused, and ends nothing', () => {
  const deep = parseRecord(Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`));
  expect(Object.keys(deep)).toHaveLength(1);
  expect(parseRecord(Buffer.from([0x22, 0xff, 0x22]))).toEqual({ problem: 'it is not valid UTF-8' });
  expect(parseRecord(Buffer.from('{'))).toEqual({ problem: 'it is not valid JSON' });
  expect(parseRecord(Buffer.from('"a\uFEFFb"'))).toEqual({ value: 'a\uFEFFb' });
});
