/** What tests of importers share: invented files, and all that comes of them. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lineSchemas } from '@commonplace/contract/transfer';
import { expect, onTestFinished } from 'vitest';
import { type ImportedItem, type Importer, isLine } from './items.ts';

export const options = {
  workspaceId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  agentId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c12',
  nowMs: Date.parse('2026-06-01T00:00:00Z'),
};

export function folderOf(files: Record<string, string | Buffer | object>): string {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-importers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const isText = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(join(folder, name), isText ? content : JSON.stringify(content));
    utimesSync(join(folder, name), new Date('2026-02-03T04:05:06Z'), new Date('2026-02-03T04:05:06Z'));
  }
  return folder;
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a line, field by field.
export type Data = any;

/** All that comes of it, twice the same, and every line as the service takes it. */
export async function read(importer: Importer, path: string) {
  const items = await itemsOf(importer, path);
  expect(await itemsOf(importer, path)).toEqual(items);
  const lines = items.filter(isLine);
  for (const { type, data } of lines) lineSchemas[type].parse(data);
  expectWhole(lines);
  return {
    problems: items.flatMap((item) => (isLine(item) ? [] : [`${item.place}: ${item.problem}`])),
    sessions: lines.filter(({ type }) => type === 'session').map(({ data }): Data => data),
    messages: lines.filter(({ type }) => type === 'message').map(({ data }): Data => data),
    memories: lines.filter(({ type }) => type === 'memory').map(({ data }): Data => data),
    documents: lines.filter(({ type }) => type === 'document').map(({ data }): Data => data),
    said: lines.filter(({ type }) => type === 'message').map(({ data }) => `${(data as Data).role}: ${(data as Data).content}`),
  };
}

export async function itemsOf(importer: Importer, path: string): Promise<ImportedItem[]> {
  const items: ImportedItem[] = [];
  for await (const item of importer.read(path, options)) items.push(item);
  return items;
}

/** What belongs to a session stands behind it, in rising order of ids, and is counted at its end. */
function expectWhole(lines: readonly { type: string; data: object }[]): void {
  let open: { id: string; lines: number; last: string } | undefined;
  for (const { type, data } of lines as { type: string; data: Data }[]) {
    if (type === 'session') {
      expect(open).toBeUndefined();
      open = { id: data.id, lines: 0, last: '' };
    } else if (type === 'end') {
      expect(data).toEqual({ of: 'session', id: open?.id, lines: open?.lines });
      open = undefined;
    } else if (type === 'message' || type === 'memory') {
      expect(data.sessionId).toBe(open?.id);
      if (type === 'message') expect(data.id > (open?.last ?? '')).toBe(true);
      if (open) open = { id: open.id, lines: open.lines + 1, last: data.id };
    }
  }
  expect(open).toBeUndefined();
}
