/** What goes to the target, one thing after the other: segments first, then snapshots, then what has expired. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from './chain.ts';
import { findDifference } from './comparison.ts';
import { listGenerations, listSnapshots } from './inventory.ts';
import { generationName, generationNumber, segmentFile, segmentsFolder } from './names.ts';
import { isWholeObject } from './objects.ts';
import { claimTarget, newOwner, type Owner, requireOwner, TargetTaken } from './ownership.ts';
import { Pauses } from './pauses.ts';
import type { BackupEvent } from './protocol.ts';
import { removeExpired } from './retention.ts';
import { SnapshotProgress, storeSnapshot } from './snapshots.ts';
import { readSpooled, removeSpooled, type SpooledSegment, spooledSegments } from './spool.ts';
import type { Target } from './target.ts';
import { WatchedTarget } from './watched-target.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How long another service that took the target may go unnoticed, while there is something to send and while there is not. */
const OWNER_CHECK_MS = 10_000;
const IDLE_OWNER_CHECK_MS = 60_000;
const EXPIRY_CHECK_MS = 60 * 60 * 1000;
/** A snapshot that is newer than now was made by a clock that was wrong. */
const TOLERATED_FUTURE_MS = 60_000;

export interface RemoteCopyOptions {
  readonly target: Target;
  readonly url: string;
  readonly dataDir: string;
  readonly database: number;
  readonly spoolFolder: string;
  readonly snapshotMs: number;
  readonly retentionMs: number;
  readonly chain: () => Chain | undefined;
  readonly abandon: (reason: string) => void;
  readonly waitingBytes: () => number;
  /** So many bytes wait no more. */
  readonly removed: (sizeBytes: number) => void;
  readonly note: (event: BackupEvent) => void;
}

/** What is under way is of no use any more. */
class WorkDropped extends Error {}

export class RemoteCopy {
  readonly #options: RemoteCopyOptions;
  readonly #target: WatchedTarget;
  readonly #me: Owner;
  #running: Promise<void> = Promise.resolve();
  readonly #pauses = new Pauses();
  #nextCut = Promise.withResolvers<number>();
  /** A snapshot is finished but for the segments that make it whole. */
  awaitsCut = false;
  /** The target is ours, as far as is known. */
  #isClaimed = false;
  #ownerCheckedMs = Number.NEGATIVE_INFINITY;
  #expiryCheckedMs = Number.NEGATIVE_INFINITY;
  #lastGeneration = 0;
  #lastSnapshot: { readonly after: number; readonly atMs: number } | undefined;
  /** The snapshot that is due or under way. */
  #snapshot: SnapshotProgress | undefined;
  #trouble: string | undefined;
  /** When all that was committed could be restored from the target, by a clock that only goes on. */
  #safeMs = performance.now();
  #cutMs = performance.now();
  readonly #startedMs = performance.now();
  #failuresTotal = 0;
  #bytesTotal = 0;
  #segmentsTotal = 0;
  #snapshotsTotal = 0;

  constructor(options: RemoteCopyOptions) {
    this.#target = new WatchedTarget(options.target, options.note);
    this.#options = { ...options, target: this.#target };
    this.#me = newOwner(options.spoolFolder, options.dataDir);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** At that time the chain was all that was committed. */
  noticeCut(atMs: number): void {
    this.#cutMs = performance.now();
    this.#nextCut.resolve(atMs);
    this.#nextCut = Promise.withResolvers();
    this.#pauses.wake();
  }

  /** The name of a generation that can begin now. */
  nextGeneration(): string | undefined {
    return this.#isClaimed && !this.#trouble ? generationName(this.#lastGeneration + 1, randomBytes(4).toString('hex')) : undefined;
  }

  useGeneration(chain: Chain): void {
    this.#lastGeneration = generationNumber(chain.generation);
    this.#lastSnapshot = undefined;
    this.#snapshot = new SnapshotProgress(chain);
    this.#pauses.wake();
  }

  /** Whether a snapshot is due and waits for a checkpoint. */
  needsBase(): boolean {
    const chain = this.#options.chain();
    if (!chain || !this.#isClaimed || this.#snapshot?.base.generation === chain.generation) return false;
    if (!this.#lastSnapshot) return true;
    const ageMs = Date.now() - this.#lastSnapshot.atMs;
    const isOld = ageMs >= this.#options.snapshotMs || ageMs < -TOLERATED_FUTURE_MS;
    return isOld && chain.segment > this.#lastSnapshot.after;
  }

  useBase(chain: Chain): void {
    if (this.needsBase()) this.#snapshot = new SnapshotProgress(chain);
  }

  gauges(): Record<string, number> {
    return {
      backup_age_seconds: (performance.now() - this.#safeMs) / 1000,
      backup_snapshot_age_seconds: this.#snapshotAgeSeconds(),
      backup_is_failing: this.#trouble === undefined && !this.#target.isSilent() ? 0 : 1,
      backup_failures_total: this.#failuresTotal,
      backup_bytes_total: this.#bytesTotal,
      backup_segments_total: this.#segmentsTotal,
      backup_snapshots_total: this.#snapshotsTotal,
    };
  }

  /** Since the start, where there is none yet. */
  #snapshotAgeSeconds(): number {
    const ageMs = this.#lastSnapshot ? Date.now() - this.#lastSnapshot.atMs : performance.now() - this.#startedMs;
    return Math.max(0, ageMs) / 1000;
  }

  async finish(limitMs: number): Promise<void> {
    this.#pauses.stop();
    this.#nextCut.resolve(Date.now());
    const work = this.#running.then(async () => {
      if (!this.#isClaimed) return;
      this.#ownerCheckedMs = Number.NEGATIVE_INFINITY;
      await this.#checkOwner();
      await this.#ship();
    });
    await Promise.race([work.catch((error) => this.#fail(error)), sleep(limitMs)]);
  }

  async #run(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.#pauses.isStopping; ) {
      try {
        await this.#step();
        this.#recover();
        pauseMs = FIRST_PAUSE_MS;
        await this.#pauses.pause(IDLE_OWNER_CHECK_MS);
      } catch (error) {
        if (error instanceof WorkDropped) continue;
        this.#fail(error);
        if (error instanceof TargetTaken && error.isFinal) return;
        await this.#pauses.backOff(pauseMs);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
  }

  async #step(): Promise<void> {
    await this.#checkOwner();
    await this.#ship();
    await this.#storeSnapshot();
    await this.#removeExpired();
  }

  async #checkOwner(): Promise<void> {
    const { spoolFolder, target, url } = this.#options;
    const isIdle = this.#options.waitingBytes() === 0;
    const sinceMs = performance.now() - this.#ownerCheckedMs;
    if (this.#isClaimed && sinceMs < (isIdle ? IDLE_OWNER_CHECK_MS : OWNER_CHECK_MS)) return;
    if (this.#isClaimed) this.#isClaimed = await requireOwner(target, this.#me);
    if (!this.#isClaimed) {
      await claimTarget(target, this.#me, spoolFolder, url);
      await this.#compare();
      this.#isClaimed = true;
    }
    this.#ownerCheckedMs = performance.now();
  }

  /** What the target holds must be what this folder has sent: either may have been put back to an earlier state. */
  async #compare(): Promise<void> {
    const { target, spoolFolder, abandon } = this.#options;
    this.#lastGeneration = generationNumber((await listGenerations(target)).at(-1) ?? '');
    const chain = this.#options.chain();
    if (!chain) return;
    const { generation } = chain;
    this.#lastGeneration = Math.max(this.#lastGeneration, generationNumber(generation));
    this.#lastSnapshot = (await listSnapshots(target, generation)).at(-1);
    const difference = await findDifference(target, chain, spoolFolder, this.#lastSnapshot?.after ?? 0);
    if (difference !== undefined) abandon(difference);
  }

  async #ship(): Promise<void> {
    const { spoolFolder, target, abandon } = this.#options;
    const cutMs = this.#cutMs;
    for (const spooled of spooledSegments(spoolFolder)) {
      const chain = this.#options.chain();
      // Not noted yet: it may still be cut again, under another name.
      if (spooled.generation === chain?.generation && spooled.segment > chain.segment) break;
      const bytes = readSpooled(spooled);
      if (!isWholeObject(bytes)) {
        for (const one of spooledSegments(spoolFolder)) if (one.generation === spooled.generation) this.#removeSpooled(one);
        if (this.#options.chain()?.generation === spooled.generation) abandon('a segment that waited for the target is damaged');
        return;
      }
      await target.put(`${segmentsFolder(spooled.generation)}${segmentFile(spooled)}`, bytes);
      this.#removeSpooled(spooled);
      this.#segmentsTotal++;
      this.#bytesTotal += bytes.length;
    }
    // Segments alone restore nothing.
    if (this.#options.chain() && this.#lastSnapshot) this.#safeMs = cutMs;
  }

  #removeSpooled(spooled: SpooledSegment): void {
    if (removeSpooled(spooled)) this.#options.removed(spooled.sizeBytes);
  }

  async #storeSnapshot(): Promise<void> {
    const { target, database, chain } = this.#options;
    const progress = this.#snapshot;
    if (!progress) return;
    const requireUse = () => {
      if (!this.#pauses.isStopping && chain()?.generation === progress.base.generation) return;
      if (this.#snapshot === progress) this.#snapshot = undefined;
      throw new WorkDropped();
    };
    const pause = async () => {
      requireUse();
      await this.#checkOwner();
      await this.#ship();
    };
    const cutAll = async () => {
      this.awaitsCut = true;
      const atMs = await this.#nextCut.promise;
      this.awaitsCut = false;
      requireUse();
      const { segment } = chain() as Chain;
      return { segment, atMs };
    };
    const manifest = await storeSnapshot(target, progress, { database, pause, cutAll });
    this.#snapshotsTotal++;
    // Given up at the last moment, and another generation has begun.
    if (this.#snapshot !== progress) return;
    this.#snapshot = undefined;
    this.#lastSnapshot = manifest;
    this.#expiryCheckedMs = Number.NEGATIVE_INFINITY;
    const { generation, sizeBytes, parts } = manifest;
    const fields = { generation, sizeBytes, parts: parts.length };
    this.#options.note({ level: 'info', message: 'A snapshot of the database is at the target of the backup', fields });
  }

  async #removeExpired(): Promise<void> {
    if (performance.now() - this.#expiryCheckedMs < EXPIRY_CHECK_MS || this.#snapshot) return;
    // What is written meanwhile does not wait for hours of deletions.
    const pause = async () => {
      if (this.#pauses.isStopping) throw new WorkDropped();
      await this.#checkOwner();
      await this.#ship();
    };
    const { target, retentionMs, snapshotMs } = this.#options;
    await removeExpired(target, { nowMs: Date.now(), retentionMs, snapshotMs }, pause);
    this.#expiryCheckedMs = performance.now();
  }

  #fail(error: unknown): void {
    this.#failuresTotal++;
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#trouble === undefined) {
      const level = error instanceof TargetTaken ? 'error' : 'warn';
      this.#options.note({ level, message: 'The continuous backup fails', fields: { reason } });
    }
    this.#trouble = reason;
    if (error instanceof TargetTaken) {
      this.#isClaimed = false;
      this.#options.abandon('the target is not ours');
    }
  }

  #recover(): void {
    if (this.#trouble === undefined) return;
    this.#options.note({ level: 'info', message: 'The continuous backup works again', fields: { reason: this.#trouble } });
    this.#trouble = undefined;
  }
}
