/** What an importer makes, as the stream that the service takes; and where each of its lines came from. */
import { createHash } from 'node:crypto';
import type { AgentLine, ExportHeader } from '@commonplace/contract/transfer';
import { type ImportedItem, type Items, isLine, type Problem, toTime } from './items.ts';

const CHUNK_BYTES = 64 * 1024;

export interface StreamOptions {
  readonly workspaceId: string;
  readonly nowMs: number;
  /** The agent to be made before all else. */
  readonly agent: AgentLine | undefined;
  readonly onProblem: (problem: Problem) => void;
}

/** With the first item in hand: what is read before it takes its time, and no request should wait for it. */
export async function begun(items: Items): Promise<Items> {
  const first = await items.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* items;
  })();
}

/** Only what comes of the source stands behind the first lines. */
export async function* streamOf(items: Items, options: StreamOptions): AsyncGenerator<Buffer, void> {
  const digest = createHash('sha256');
  let pending: string[] = firstLines(options);
  let length = 0;
  const flush = () => {
    const bytes = Buffer.from(pending.map((line) => `${line}\n`).join(''));
    digest.update(bytes);
    pending = [];
    length = 0;
    return bytes;
  };
  for await (const item of items) {
    if (!isLine(item)) {
      options.onProblem(item);
      continue;
    }
    const line = JSON.stringify({ type: item.type, data: item.data });
    pending.push(line);
    length += line.length;
    if (length >= CHUNK_BYTES) yield flush();
  }
  if (pending.length > 0) yield flush();
  yield Buffer.from(`${JSON.stringify({ type: 'footer', counts: {}, checksum: `sha256:${digest.digest('hex')}` })}\n`);
}

function firstLines({ workspaceId, nowMs, agent }: StreamOptions): string[] {
  // As if it came from the workspace itself: ids are taken as they are.
  const workspace = { id: workspaceId, name: 'import', handle: 'import' };
  const header: ExportHeader = { type: 'header', version: 1, workspace, exportedAt: toTime(nowMs), counts: {} };
  return [header, ...(agent ? [{ type: 'agent', data: agent }] : [])].map((line) => JSON.stringify(line));
}

/** Where the lines of these numbers came from: the source is read once more, so that nothing is held for those that are well. */
export async function findPlaces(items: Items, hasAgent: boolean, numbers: ReadonlySet<number>): Promise<Map<number, string>> {
  const places = new Map<number, string>();
  let number = hasAgent ? 2 : 1;
  for await (const item of items as AsyncGenerator<ImportedItem, void>) {
    if (!isLine(item)) continue;
    number++;
    if (numbers.has(number)) places.set(number, item.place);
    if (places.size === numbers.size) break;
  }
  return places;
}
