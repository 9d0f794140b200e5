/** A file of many records, one after another and none but the one in hand in memory: the elements of a JSON list, or lines. */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** Of one: a long conversation with all that it holds beside its texts. */
export const LARGEST_RECORD_BYTES = 32_000_000;
const CHUNK_BYTES = 256 * 1024;

export interface FileRecord {
  /** From 1. */
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  /** Undefined where it is too long to be held. */
  readonly bytes: Buffer | undefined;
}

export type RecordReader = AsyncGenerator<FileRecord, void>;
export type OnRead = ((bytes: number) => void) | undefined;

/** What it can't be read as; the message is for people. */
export class UnreadableFile extends Error {}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = { list: 0x5b, object: 0x7b };
const CLOSING = { list: 0x5d, object: 0x7d };
const LONGEST_NAME = 64;
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BOM = [0xef, 0xbb, 0xbf];

async function* chunksOf(file: string, onRead: OnRead): AsyncGenerator<Buffer, void> {
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
    onRead?.((chunk as Buffer).length);
    yield chunk as Buffer;
  }
}

/** The bytes of the record in hand, from whichever chunks they come; too many are not kept. */
class Gathered {
  #pieces: Buffer[] = [];
  #length = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.#most) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  take(number: number, end: number): FileRecord {
    const length = this.#length;
    const bytes = length > this.#most ? undefined : Buffer.concat(this.#pieces, length);
    this.#pieces = [];
    this.#length = 0;
    return { number, offset: end - length, length, bytes };
  }
}

/** Lines that hold something, whatever ends them. */
export async function* readLineRecords(file: string, onRead?: OnRead, most = LARGEST_RECORD_BYTES): RecordReader {
  const gathered = new Gathered(most);
  let number = 0;
  let position = 0;
  const taken = (end: number) => {
    const record = gathered.take(++number, end);
    return record.bytes === undefined || !isBlank(record.bytes) ? record : undefined;
  };
  for await (const chunk of chunksOf(file, onRead)) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      gathered.add(chunk.subarray(start, end));
      const record = taken(position + end);
      if (record) yield record;
      start = end + 1;
    }
    gathered.add(chunk.subarray(start));
    position += chunk.length;
  }
  const last = taken(position);
  if (last) yield last;
}

function isBlank(bytes: Buffer): boolean {
  const start = hasBom(bytes) ? BOM.length : 0;
  for (let index = start; index < bytes.length; index++) if (!SPACES.has(bytes[index] as number)) return false;
  return true;
}

function hasBom(bytes: Buffer): boolean {
  return BOM.every((byte, index) => bytes[index] === byte);
}

/**
 * The elements of a list: of the one that the file is, or of the first one under one of these names in the object that the file is. Only
 * strings and brackets are looked at; what is wrong inside an element shows when it is parsed.
 */
export async function* readElements(file: string, names: readonly string[], onRead?: OnRead, most = LARGEST_RECORD_BYTES): RecordReader {
  const scanner = new ElementScanner(names, most);
  for await (const chunk of chunksOf(file, onRead)) {
    yield* scanner.scan(chunk);
    if (scanner.isDone) return;
  }
  scanner.end();
}

class ElementScanner {
  readonly #names: readonly string[];
  readonly #gathered: Gathered;
  #position = 0;
  #depth = 0;
  /** How deep the elements lie; 0 before their list has begun. */
  #listDepth = 0;
  #isInString = false;
  #isEscaped = false;
  #isInElement = false;
  /** The last string outside of the list, as far as it may be a name. */
  #name: number[] = [];
  #number = 0;
  #seen = 0;
  isDone = false;

  constructor(names: readonly string[], most: number) {
    this.#names = names;
    this.#gathered = new Gathered(most);
  }

  *scan(chunk: Buffer): Generator<FileRecord, void> {
    let from = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (this.#isInString) {
        this.#scanString(byte);
        continue;
      }
      if (SPACES.has(byte) || (this.#depth === 0 && this.#position + index < BOM.length && BOM[this.#position + index] === byte)) continue;
      this.#seen++;
      if (this.#listDepth === 0) {
        this.#findList(byte);
        continue;
      }
      if (this.#depth === this.#listDepth) {
        if (byte === COMMA || byte === CLOSING.list) {
          if (this.#isInElement) {
            this.#gathered.add(chunk.subarray(from, index));
            this.#isInElement = false;
            yield this.#gathered.take(++this.#number, this.#position + index);
          }
          if (byte === CLOSING.list) {
            this.isDone = true;
            return;
          }
          continue;
        }
        if (!this.#isInElement) {
          this.#isInElement = true;
          from = index;
        }
      }
      this.#step(byte);
    }
    if (this.#isInElement) this.#gathered.add(chunk.subarray(from));
    this.#position += chunk.length;
  }

  end(): void {
    if (this.#seen === 0) throw new UnreadableFile('it is empty');
    if (this.#listDepth === 0) throw new UnreadableFile('there is no list in it');
    throw new UnreadableFile(`it ends in the middle, behind element ${this.#number}`);
  }

  #scanString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isInString = false;
      return;
    }
    if (this.#listDepth === 0 && this.#name.length < LONGEST_NAME) this.#name.push(byte);
  }

  #step(byte: number): void {
    if (byte === QUOTE) {
      this.#isInString = true;
      this.#name = [];
    } else if (byte === OPENING.list || byte === OPENING.object) this.#depth++;
    else if (byte === CLOSING.list || byte === CLOSING.object) this.#depth--;
  }

  #findList(byte: number): void {
    const isNamed = this.#depth === 1 && this.#names.includes(Buffer.from(this.#name).toString());
    if (byte === OPENING.list && (this.#depth === 0 || isNamed)) this.#listDepth = this.#depth + 1;
    else if (this.#depth === 0 && byte !== OPENING.object) throw new UnreadableFile('it is neither a JSON list nor an object');
    else if (byte === COMMA && this.#depth === 1) this.#name = [];
    else if (byte === COLON) return;
    this.#step(byte);
    if (this.#depth === 0) throw new UnreadableFile('there is no list in it');
  }
}

/** The first byte that says what the file holds. */
export async function firstByteOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, 0);
    return (
      buffer
        .subarray(0, bytesRead)
        .toString()
        .replace(/^\uFEFF/, '')
        .trimStart()[0] ?? ''
    );
  } finally {
    await handle.close();
  }
}

/** The JSON value that it is, or why it is none. */
export function parseRecord(bytes: Buffer | undefined): { readonly value: unknown } | { readonly problem: string } {
  if (bytes === undefined) return { problem: `it is larger than ${LARGEST_RECORD_BYTES / 1_000_000} MB` };
  if (!isUtf8(bytes)) return { problem: 'it is not valid UTF-8' };
  try {
    return { value: JSON.parse(bytes.toString().replace(/^\uFEFF/, '')) };
  } catch {
    return { problem: 'it is not valid JSON' };
  }
}
