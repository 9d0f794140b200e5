/** The names of what is stored at a target. They sort in order of time, and say enough to choose without reading. */

export const OWNER = 'owner.json';

export interface SegmentName {
  readonly segment: number;
  /** When it was cut: what it holds was committed before. */
  readonly atMs: number;
  /** Whether the database is whole after it; else a transaction goes on in the next one. */
  readonly isWhole: boolean;
}

export interface SnapshotName {
  /** The segment that the snapshot follows: what comes after is applied to it. */
  readonly after: number;
  /** From when on a point in time can be restored with it. */
  readonly atMs: number;
  readonly id: string;
}

/** Numbered, so that their order does not hang on a clock. */
export function generationName(number: number, random: string): string {
  return `${padded(number, 8)}-${random}`;
}

export function generationNumber(name: string): number {
  const found = /^(\d{8})-[0-9a-f]+$/.exec(name);
  return found ? Number(found[1]) : 0;
}

export function segmentsFolder(generation: string): string {
  return `${generation}/segments/`;
}

export function snapshotsFolder(generation: string): string {
  return `${generation}/snapshots/`;
}

export function segmentFile({ segment, atMs, isWhole }: SegmentName): string {
  return `${padded(segment, 12)}-${padded(atMs, 14)}-${isWhole ? 'whole' : 'part'}`;
}

export function readSegmentFile(name: string): SegmentName | undefined {
  const found = /(?:^|\/)(\d{12})-(\d{14})-(whole|part)$/.exec(name);
  return found ? { segment: Number(found[1]), atMs: Number(found[2]), isWhole: found[3] === 'whole' } : undefined;
}

export function manifestName(generation: string, { after, atMs, id }: SnapshotName): string {
  return `${snapshotsFolder(generation)}${padded(after, 12)}-${padded(atMs, 14)}-${id}`;
}

export function readManifestName(name: string): SnapshotName | undefined {
  const found = /\/snapshots\/(\d{12})-(\d{14})-([0-9a-f]+)$/.exec(name);
  return found ? { after: Number(found[1]), atMs: Number(found[2]), id: found[3] as string } : undefined;
}

export function partsFolder(generation: string): string {
  return `${generation}/pages/`;
}

export function partName(generation: string, after: number, id: string, part: number): string {
  return `${partsFolder(generation)}${padded(after, 12)}-${id}/${padded(part, 8)}`;
}

/** The snapshot that a part belongs to. */
export function readPartName(name: string): { readonly after: number; readonly id: string } | undefined {
  const found = /\/pages\/(\d{12})-([0-9a-f]+)\/\d{8}$/.exec(name);
  return found ? { after: Number(found[1]), id: found[2] as string } : undefined;
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
