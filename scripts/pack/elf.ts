/** A program for Linux without what only debuggers read. */

const MAGIC = 0x7f454c46;
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;
/** Offsets in the header of a file of 64 bits. */
const at = {
  class: 4,
  order: 5,
  segments: 32,
  sections: 40,
  segmentSize: 54,
  segmentCount: 56,
  sectionCount: 60,
  sectionNames: 62,
} as const;
/** Offsets in the description of a segment. */
const segmentAt = { offset: 8, size: 32 } as const;

/** Ends behind the last segment that is loaded. Symbols and debugging data come after it, found by the table of sections, which goes too. */
export function stripElf(program: Buffer): Buffer {
  if (program.readUInt32BE(0) !== MAGIC || program[at.class] !== CLASS_64 || program[at.order] !== LITTLE_ENDIAN)
    throw new Error('This is no ELF program of 64 bits in little endian');
  const first = Number(program.readBigUInt64LE(at.segments));
  const size = program.readUInt16LE(at.segmentSize);
  const ends = Array.from({ length: program.readUInt16LE(at.segmentCount) }, (_, index) => {
    const segment = first + index * size;
    return Number(program.readBigUInt64LE(segment + segmentAt.offset) + program.readBigUInt64LE(segment + segmentAt.size));
  });
  const stripped = Buffer.from(program.subarray(0, Math.max(...ends)));
  stripped.writeBigUInt64LE(0n, at.sections);
  stripped.writeUInt16LE(0, at.sectionCount);
  stripped.writeUInt16LE(0, at.sectionNames);
  return stripped;
}
