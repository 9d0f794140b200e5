/** A module of WebAssembly from its text, as far as kernel.wat goes: one memory, exported functions of one type, flat instructions. */

type Expression = string | Expression[];

const TYPES: Readonly<Record<string, number>> = { i32: 0x7f, i64: 0x7e, v128: 0x7b };

/** The opcode, and what follows it. */
const INSTRUCTIONS: Readonly<
  Record<string, readonly [opcode: readonly number[], follows?: 'local' | 'label' | 'number' | 'memory' | 'zeros']>
> = {
  'local.get': [[0x20], 'local'],
  'local.set': [[0x21], 'local'],
  'local.tee': [[0x22], 'local'],
  br_if: [[0x0d], 'label'],
  'i32.const': [[0x41], 'number'],
  'i32.add': [[0x6a]],
  'i32.sub': [[0x6b]],
  'i32.lt_u': [[0x49]],
  'i32.store': [[0x36], 'memory'],
  'i32.store16': [[0x3b], 'memory'],
  'i32.wrap_i64': [[0xa7]],
  'i64.const': [[0x42], 'number'],
  'i64.load': [[0x29], 'memory'],
  'i64.and': [[0x83]],
  'i64.xor': [[0x85]],
  'i64.shl': [[0x86]],
  'i64.popcnt': [[0x7b]],
  'i64.add': [[0x7c]],
  'v128.load': [[0xfd, 0x00], 'memory'],
  'v128.const': [[0xfd, 0x0c], 'zeros'],
  'i8x16.gt_s': [[0xfd, 0x27]],
  'i8x16.bitmask': [[0xfd, 0x64]],
  'i16x8.extend_low_i8x16_s': [[0xfd, 0x87, 1]],
  'i16x8.extend_high_i8x16_s': [[0xfd, 0x88, 1]],
  'i32x4.dot_i16x8_s': [[0xfd, 0xba, 1]],
  'i32x4.add': [[0xfd, 0xae, 1]],
  'i32x4.extract_lane': [[0xfd, 0x1b], 'number'],
};

export function assemble(text: string): Uint8Array {
  const [[, memory, ...functions]] = parse(text) as [[string, Expression[], ...Expression[][]]];
  const made = functions.map(assembleFunction);
  const exported = [[...named(exportName(memory)), 2, 0], ...functions.map((one, index) => [...named(exportName(one)), 0, index])];
  const [parameters = []] = made.map(({ parameters: types }) => types);
  if (made.some(({ parameters: types }) => types.join() !== parameters.join())) throw new Error('Functions of one type only');
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [[0x60, parameters.length, ...parameters, 0]]),
    ...section(
      3,
      made.map(() => [0]),
    ),
    ...section(5, [[0, Number(memory.at(-1))]]),
    ...section(7, exported),
    ...section(
      10,
      made.map(({ code }) => sized(code)),
    ),
  ]);
}

function parse(text: string): Expression[] {
  const tokens = text.replaceAll(/;;.*/g, '').match(/[()]|[^\s()]+/g) ?? [];
  const open: Expression[][] = [[]];
  for (const token of tokens) {
    if (token === '(') open.push([]);
    else if (token === ')') {
      const closed = open.pop() as Expression[];
      open.at(-1)?.push(closed);
    } else open.at(-1)?.push(token);
  }
  if (open.length !== 1) throw new Error('Brackets do not match');
  return open[0] as Expression[];
}

function assembleFunction([, ...parts]: Expression[]): { readonly parameters: number[]; readonly code: number[] } {
  const declared = parts.filter((part) => Array.isArray(part)) as string[][];
  const typesOf = (kind: string) => declared.filter(([what]) => what === kind).map(([, , type]) => TYPES[type as string] as number);
  const names = declared.filter(([what]) => what === 'param' || what === 'local').map(([, name]) => name as string);
  const groups: [count: number, type: number][] = [];
  for (const type of typesOf('local')) {
    const last = groups.at(-1);
    if (last?.[1] === type) last[0]++;
    else groups.push([1, type]);
  }
  const words = parts.filter((part) => !Array.isArray(part)) as string[];
  return { parameters: typesOf('param'), code: [groups.length, ...groups.flat(), ...assembleInstructions(words, names), 0x0b] };
}

function assembleInstructions(words: readonly string[], locals: readonly string[]): number[] {
  const bytes: number[] = [];
  const labels: string[] = [];
  const place = (list: readonly string[], name: string | undefined) => {
    const index = list.indexOf(name ?? '');
    if (index < 0) throw new Error(`Nothing is called ${name}`);
    return index;
  };
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === 'loop') {
      labels.unshift(rest.shift() as string);
      bytes.push(0x03, 0x40);
      continue;
    }
    if (word === 'end') {
      labels.shift();
      bytes.push(0x0b);
      continue;
    }
    const [opcode, follows] = INSTRUCTIONS[word] ?? [];
    if (!opcode) throw new Error(`No such instruction: ${word}`);
    bytes.push(...opcode);
    if (follows === 'local') bytes.push(place(locals, rest.shift()));
    if (follows === 'label') bytes.push(place(labels, rest.shift()));
    if (follows === 'number') bytes.push(smallNumber(rest.shift()));
    if (follows === 'memory') {
      const offset = rest[0]?.startsWith('offset=') ? smallNumber(rest.shift()?.slice('offset='.length)) : 0;
      if (rest.shift() !== 'align=1') throw new Error('Nothing is said to be aligned');
      bytes.push(0, offset);
    }
    if (follows === 'zeros') {
      if (rest.splice(0, 5).join(' ') !== 'i32x4 0 0 0 0') throw new Error('A vector of zeros only');
      bytes.push(...new Array<number>(16).fill(0));
    }
  }
  return bytes;
}

/** One that takes a single byte, signed or not. */
function smallNumber(text: string | undefined): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0 || number > 63) throw new Error(`Not a small number: ${text}`);
  return number;
}

function exportName(expression: Expression[]): string {
  const found = expression.find((part) => Array.isArray(part) && part[0] === 'export') as string[] | undefined;
  return (found?.[1] ?? '').replaceAll('"', '');
}

const named = (name: string) => [name.length, ...Buffer.from(name)];
const section = (id: number, parts: readonly (readonly number[])[]) => [id, ...sized([parts.length, ...parts.flat()])];

function sized(bytes: readonly number[]): number[] {
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return [...length, ...bytes];
}
