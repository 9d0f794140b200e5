/**
 * The inner loops of vector search as a small WebAssembly module (SIMD, about ten times plain JavaScript). Rows are copied through one small
 * memory, block by block: matrices stay ordinary arrays, which are released with their scope. `kernel.wat` is the same module as text.
 */

const BLOCK_BYTES = 256 * 1024;
const BLOCK_ROWS = 4096;
const QUERY_AT = 0;
const OUT_AT = 16 * 1024;
const ROWS_AT = 64 * 1024;

/** Vectors are padded to whole 64-bit words of their 1-bit codes. */
export const DIMENSION_STEP = 64;
/** What fits between QUERY_AT and OUT_AT as int16. */
export const MOST_DIMENSIONS = 8192;
/** A query component as int16: so small that a sum of products with int8 over MOST_DIMENSIONS stays within int32. */
export const QUERY_RANGE = 1023;
/** For each 64 components of a query its code, then the three bits of their weights, 8 bytes each. */
export const QUERY_CODE_STEP = 32;
export const MOST_QUERY_WEIGHT = 7;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  dots(rows: number, count: number, stride: number, query: number, out: number): void;
  distances(rows: number, count: number, stride: number, query: number, out: number): void;
  encode(rows: number, count: number, stride: number, thresholds: number, out: number): void;
}

// Instructions, as far as they are used here.
const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const LOCAL_TEE = 0x22;
const LOOP = [0x03, 0x40];
const END = 0x0b;
const BRANCH_IF = 0x0d;
const I32_CONST = 0x41;
const I32_ADD = 0x6a;
const I32_SUB = 0x6b;
const I32_LT_U = 0x49;
const I32_STORE = [0x36, 0, 0];
const I32_STORE16 = [0x3b, 0, 0];
const I32_WRAP_I64 = 0xa7;
const I64_CONST = 0x42;
const I64_LOAD = (offset: number) => [0x29, 0, offset];
const I64_AND = 0x83;
const I64_XOR = 0x85;
const I64_SHL = 0x86;
const I64_POPCNT = 0x7b;
const I64_ADD = 0x7c;
const V128_LOAD = [0xfd, 0x00, 0, 0];
const V128_LOAD_16_ON = [0xfd, 0x00, 0, 16];
const V128_ZERO = [0xfd, 0x0c, ...new Array<number>(16).fill(0)];
const I8X16_GT_S = [0xfd, 0x27];
const I8X16_BITMASK = [0xfd, 0x64];
const I16X8_EXTEND_LOW = [0xfd, 0x87, 1];
const I16X8_EXTEND_HIGH = [0xfd, 0x88, 1];
const I32X4_DOT_I16X8 = [0xfd, 0xba, 1];
const I32X4_ADD = [0xfd, 0xae, 1];
const I32X4_LANE = (lane: number) => [0xfd, 0x1b, lane];

const I32 = 0x7f;
const I64 = 0x7e;
const V128 = 0x7b;

// Locals: the five parameters, then the end of a row, the place in the query, the running sum, 64 bits.
const [ROW, COUNT, STRIDE, QUERY, OUT, ROW_END, AT, SUM, BITS] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const get = (local: number) => [LOCAL_GET, local];
const set = (local: number) => [LOCAL_SET, local];
const add = (local: number, constant: number) => [LOCAL_GET, local, I32_CONST, constant, I32_ADD, LOCAL_SET, local];

/** For each row: `start`, then `step` for each `rowStep` bytes of it, then `finish`. */
const overRows = (start: number[], step: number[], rowStep: number, queryStep: number, finish: number[]) => [
  ...LOOP,
  ...[...get(ROW), ...get(STRIDE), I32_ADD, ...set(ROW_END), ...get(QUERY), ...set(AT), ...start],
  ...LOOP,
  ...[...step, ...add(AT, queryStep), ...get(ROW), I32_CONST, rowStep, I32_ADD, LOCAL_TEE, ROW, ...get(ROW_END), I32_LT_U, BRANCH_IF, 0],
  END,
  ...[...finish, ...get(COUNT), I32_CONST, 1, I32_SUB, LOCAL_TEE, COUNT, BRANCH_IF, 0],
  END,
  END,
];

const plusDot = (extend: number[], load: number[]) => [
  ...[...get(ROW), ...V128_LOAD, ...extend, ...get(AT), ...load, ...I32X4_DOT_I16X8],
  ...[...get(SUM), ...I32X4_ADD, ...set(SUM)],
];

/** int8 rows times an int16 query, summed in int32. */
const DOTS = overRows(
  [...V128_ZERO, ...set(SUM)],
  [...plusDot(I16X8_EXTEND_LOW, V128_LOAD), ...plusDot(I16X8_EXTEND_HIGH, V128_LOAD_16_ON)],
  16,
  32,
  [
    ...get(OUT),
    ...[0, 1, 2, 3].flatMap((lane) => [...get(SUM), ...I32X4_LANE(lane), ...(lane > 0 ? [I32_ADD] : [])]),
    ...[...I32_STORE, ...add(OUT, 4)],
  ],
);

/** The sum of the query's weights where a code differs from the query's; a weight has three bits, each in a plane of its own. */
const DISTANCES = overRows(
  [I64_CONST, 0, ...set(SUM)],
  [
    ...[...get(ROW), ...I64_LOAD(0), ...get(AT), ...I64_LOAD(0), I64_XOR, ...set(BITS)],
    ...[0, 1, 2].flatMap((plane) => [
      ...[...get(BITS), ...get(AT), ...I64_LOAD(8 * (plane + 1)), I64_AND, I64_POPCNT],
      ...[I64_CONST, plane, I64_SHL, ...get(SUM), I64_ADD, ...set(SUM)],
    ]),
  ],
  8,
  QUERY_CODE_STEP,
  [...get(OUT), ...get(SUM), I32_WRAP_I64, ...I32_STORE, ...add(OUT, 4)],
);

/** One bit a component: is it above its threshold? */
const ENCODE = overRows(
  [],
  [...get(OUT), ...get(ROW), ...V128_LOAD, ...get(AT), ...V128_LOAD, ...I8X16_GT_S, ...I8X16_BITMASK, ...I32_STORE16, ...add(OUT, 2)],
  16,
  16,
  [],
);

const sized = (bytes: number[]): number[] => {
  const length: number[] = [];
  let rest = bytes.length;
  do {
    length.push((rest & 127) | (rest > 127 ? 128 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return [...length, ...bytes];
};
const section = (id: number, parts: number[][]) => [id, ...sized([parts.length, ...parts.flat()])];
const named = (name: string) => sized([...Buffer.from(name)]);
const body = (sumType: number, code: number[]) =>
  sized([...(sumType === I64 ? [2, 2, I32, 2, I64] : [3, 2, I32, 1, sumType, 1, I64]), ...code]);

export const KERNEL_BYTES = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [[0x60, 5, I32, I32, I32, I32, I32, 0]]),
  ...section(3, [[0], [0], [0]]),
  ...section(5, [[0, (ROWS_AT + BLOCK_BYTES) / 65_536]]),
  ...section(7, [
    [...named('memory'), 2, 0],
    [...named('dots'), 0, 0],
    [...named('distances'), 0, 1],
    [...named('encode'), 0, 2],
  ]),
  ...section(10, [body(V128, DOTS), body(I64, DISTANCES), body(I64, ENCODE)]),
]);

// The types of WebAssembly belong to the browser's library, which the server does not load.
const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

const kernel = new Instance(new Module(KERNEL_BYTES)).exports as Exports;
const memory = new Uint8Array(kernel.memory.buffer);

const bytesOf = (array: Int8Array | Int16Array | Uint8Array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function inBlocks(rows: Int8Array | Uint8Array, stride: number, count: number, work: (first: number, rowsInBlock: number) => void): void {
  const most = Math.min(BLOCK_ROWS, Math.floor(BLOCK_BYTES / stride));
  const bytes = bytesOf(rows);
  for (let first = 0; first < count; first += most) {
    const rowsInBlock = Math.min(most, count - first);
    memory.set(bytes.subarray(first * stride, (first + rowsInBlock) * stride), ROWS_AT);
    work(first, rowsInBlock);
  }
}

/** out[i] = row i · query, for the first `count` rows. */
export function multiply(rows: Int8Array, stride: number, count: number, query: Int16Array, out: Int32Array): void {
  memory.set(bytesOf(query), QUERY_AT);
  inBlocks(rows, stride, count, (first, rowsInBlock) => {
    kernel.dots(ROWS_AT, rowsInBlock, stride, QUERY_AT, OUT_AT);
    out.set(new Int32Array(kernel.memory.buffer, OUT_AT, rowsInBlock), first);
  });
}

/** out[i] = row slots[i] · query. */
export function multiplySome(rows: Int8Array, stride: number, slots: Uint32Array, query: Int16Array, out: Int32Array): void {
  memory.set(bytesOf(query), QUERY_AT);
  const most = Math.min(BLOCK_ROWS, Math.floor(BLOCK_BYTES / stride));
  // By words of four bytes: a view for each row would cost more than its copy.
  const source = new Int32Array(rows.buffer, rows.byteOffset, rows.length >> 2);
  const target = new Int32Array(kernel.memory.buffer, ROWS_AT);
  const words = stride >> 2;
  for (let first = 0; first < slots.length; first += most) {
    const rowsInBlock = Math.min(most, slots.length - first);
    for (let i = 0, to = 0; i < rowsInBlock; i++) {
      const from = (slots[first + i] as number) * words;
      for (let word = 0; word < words; word++) target[to++] = source[from + word] as number;
    }
    kernel.dots(ROWS_AT, rowsInBlock, stride, QUERY_AT, OUT_AT);
    out.set(new Int32Array(kernel.memory.buffer, OUT_AT, rowsInBlock), first);
  }
}

/** out[i] = the weight of the bits in which code i differs from the query's. `query`: QUERY_CODE_STEP bytes for each 64 components. */
export function compareCodes(codes: Uint8Array, stride: number, count: number, query: Uint8Array, out: Int32Array): void {
  memory.set(query, QUERY_AT);
  inBlocks(codes, stride, count, (first, rowsInBlock) => {
    kernel.distances(ROWS_AT, rowsInBlock, stride, QUERY_AT, OUT_AT);
    out.set(new Int32Array(kernel.memory.buffer, OUT_AT, rowsInBlock), first);
  });
}

/** The 1-bit codes of `count` rows; each takes an eighth of its row. */
export function encodeRows(rows: Int8Array, stride: number, count: number, thresholds: Int8Array, codes: Uint8Array): void {
  memory.set(bytesOf(thresholds), QUERY_AT);
  // The codes of a block are written over the rows that they were made from: each row is read before its place is written.
  inBlocks(rows, stride, count, (first, rowsInBlock) => {
    kernel.encode(ROWS_AT, rowsInBlock, stride, QUERY_AT, ROWS_AT);
    codes.set(memory.subarray(ROWS_AT, ROWS_AT + (rowsInBlock * stride) / 8), (first * stride) / 8);
  });
}
