/** The thread of the backup: segments from the log to the spool, from there to the target, and snapshots beside them. */
import { statSync } from 'node:fs';
import { type Chain, canResume, loadState, saveState } from './chain.ts';
import type { CheckpointReply } from './checkpoints.ts';
import { type CutPlace, cutSegments } from './cutting.ts';
import type { BackupEvent, CheckpointTask, CutReport, ShipperData } from './protocol.ts';
import { RemoteCopy } from './remote-copy.ts';
import { emptySpool, makeSpool, removeSpooledAfter, spooledSegments, syncSpool } from './spool.ts';
import { openTarget } from './target.ts';
import { isSameTarget } from './target-url.ts';
import { frameBytes, positionAfter, readWalHeader, withWal } from './wal.ts';

/** As large as the log gets without a backup. */
const CHECKPOINT_BYTES = 16 * 1024 * 1024;

/** By the frame that would be the last within the limit: the file itself never shrinks. */
function isLogLarge(databaseFile: string): boolean {
  return withWal(databaseFile, (wal) => {
    const header = wal === undefined ? undefined : readWalHeader(wal);
    if (wal === undefined || !header) return false;
    return positionAfter(wal, header, Math.ceil(CHECKPOINT_BYTES / frameBytes(header.pageSize))) !== undefined;
  });
}

export class Shipper {
  readonly #place: CutPlace;
  readonly #spoolBytes: number;
  readonly #remote: RemoteCopy;
  readonly #events: BackupEvent[] = [];
  #chain: Chain | undefined;
  /** What is saved may be further than what is known here: a cut failed, or the writer has a task and was not heard of since. */
  #isReloadDue = false;
  #generationsTotal = 0;
  /** Counted along, as there can be very many. */
  #waitingBytes = 0;
  #syncedFile = '';

  constructor({ options, dataDir, databaseFile, database }: ShipperData, spoolFolder: string) {
    makeSpool(spoolFolder);
    this.#place = { databaseFile, spoolFolder, target: options.url };
    this.#spoolBytes = options.spoolBytes;
    this.#chain = this.#resume();
    this.#countWaiting();
    this.#remote = new RemoteCopy({
      target: openTarget(options),
      url: options.url,
      dataDir,
      database,
      spoolFolder,
      snapshotMs: options.snapshotMs,
      retentionMs: options.retentionMs,
      chain: () => this.#chain,
      abandon: (reason) => this.#abandon(reason),
      waitingBytes: () => this.#waitingBytes,
      removed: (sizeBytes) => {
        this.#waitingBytes -= sizeBytes;
      },
      note: (event) => this.#events.push(event),
    });
    this.#remote.start();
  }

  /** `erases`: the log is to be emptied, whatever its size. */
  cut(isDue: boolean, erases = false): CutReport {
    if (this.#isReloadDue) this.#reload();
    const chain = this.#chain;
    if (!chain || isDue || this.#remote.awaitsCut || isLogLarge(this.#place.databaseFile)) {
      const atMs = chain ? this.#cutChain(chain) : Date.now();
      this.#remote.noticeCut(atMs);
    }
    this.#limitSpool();
    const gauges = {
      ...this.#remote.gauges(),
      backup_waiting_bytes: this.#waitingBytes,
      backup_generations_total: this.#generationsTotal,
    };
    const task = erases ? this.#erasingTask() : this.#nextTask();
    this.#isReloadDue = task !== undefined;
    return { chain: this.#chain, task, events: this.takeEvents(), gauges };
  }

  adopt(task: CheckpointTask, { chain, isComplete, spooledBytes = 0 }: CheckpointReply): void {
    // A thread that started after the task was given has counted them already.
    if (this.#isReloadDue) this.#waitingBytes += spooledBytes;
    this.#isReloadDue = false;
    if (task.kind === 'plain') return;
    if (task.kind === 'begin') {
      if (!chain) return;
      this.#chain = chain;
      this.#generationsTotal++;
      this.#remote.useGeneration(chain);
      this.#events.push({
        level: 'info',
        message: 'The continuous backup begins with a snapshot',
        fields: { generation: chain.generation },
      });
      return;
    }
    // Given up meanwhile: the writer has saved what counts no more.
    if (!this.#chain) this.#saveNone();
    else if (!chain) this.#abandon('frames of the write-ahead log are missing');
    else {
      this.#chain = chain;
      if (isComplete) this.#remote.useBase(chain);
    }
  }

  async finish(limitMs: number): Promise<number> {
    // The writer cut the rest while it closed.
    try {
      this.#reload();
    } catch {
      // Sends what it knows of.
    }
    await this.#remote.finish(limitMs);
    return spooledSegments(this.#place.spoolFolder).length;
  }

  takeEvents(): BackupEvent[] {
    return this.#events.splice(0);
  }

  /** When what is cut was all that was committed. */
  #cutChain(chain: Chain): number {
    try {
      const result = cutSegments(this.#place, chain, { now: Date.now, sync: false });
      if (result.kind === 'cut') {
        this.#chain = result.chain;
        this.#waitingBytes += result.spooledBytes;
        return result.atMs;
      }
      this.#abandon('the write-ahead log started over before it was read; another program may have written to the database');
      return Date.now();
    } catch (error) {
      this.#isReloadDue = true;
      throw error;
    }
  }

  /** Goes on from what was saved; where that fails, the next cut tries again. */
  #reload(): void {
    this.#isReloadDue = true;
    const { spoolFolder } = this.#place;
    const saved = loadState(spoolFolder)?.chain;
    if (saved && saved.generation === this.#chain?.generation) {
      removeSpooledAfter(spoolFolder, saved.generation, saved.segment);
      this.#countWaiting();
      // What is cut again may have an earlier time in its name.
      this.#syncedFile = '';
      this.#chain = saved;
    } else {
      this.#saveNone();
      this.#abandon('what was cut is not noted any more');
    }
    this.#isReloadDue = false;
  }

  #resume(): Chain | undefined {
    const { databaseFile, spoolFolder, target } = this.#place;
    const state = loadState(spoolFolder);
    if (state && !isSameTarget(state.target, target)) {
      this.#dropForAnother();
      return undefined;
    }
    if (!state?.chain) return undefined;
    const { generation, segment } = state.chain;
    if (canResume(state.chain, databaseFile)) {
      removeSpooledAfter(spoolFolder, generation, segment);
      return state.chain;
    }
    const fields = { generation };
    this.#events.push({ level: 'info', message: 'The database was written to without its backup', fields });
    return undefined;
  }

  /** What waits is for a target that the settings named before. */
  #dropForAnother(): void {
    const { spoolFolder } = this.#place;
    const droppedSegments = spooledSegments(spoolFolder).length;
    emptySpool(spoolFolder);
    if (droppedSegments === 0) return;
    const message = 'COMMONPLACE_BACKUP_URL names another target; what was not yet sent to the one before is dropped';
    this.#events.push({ level: 'warn', message, fields: { droppedSegments } });
  }

  #nextTask(): CheckpointTask | undefined {
    const chain = this.#chain;
    if (!chain) {
      const generation = this.#remote.nextGeneration();
      if (generation !== undefined) return { kind: 'begin', generation };
      return this.#logBytes() >= CHECKPOINT_BYTES ? { kind: 'plain' } : undefined;
    }
    const isLarge = chain.position !== undefined && chain.position.offset >= CHECKPOINT_BYTES && !chain.isCheckpointed;
    if (!isLarge && !this.#remote.needsBase()) return undefined;
    this.#syncedFile = syncSpool(this.#place.spoolFolder, this.#syncedFile);
    return { kind: 'cut', chain };
  }

  #erasingTask(): CheckpointTask {
    if (!this.#chain) return { kind: 'plain', erases: true };
    this.#syncedFile = syncSpool(this.#place.spoolFolder, this.#syncedFile);
    return { kind: 'cut', chain: this.#chain, erases: true };
  }

  /** A target that is away must not fill the disk: then history has a gap, and begins anew when it is back. */
  #limitSpool(): void {
    if (this.#waitingBytes <= this.#spoolBytes) return;
    emptySpool(this.#place.spoolFolder);
    this.#countWaiting();
    this.#abandon('more waits for the target than COMMONPLACE_BACKUP_SPOOL_MB allows');
  }

  #countWaiting(): void {
    this.#waitingBytes = spooledSegments(this.#place.spoolFolder).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  #abandon(reason: string): void {
    const generation = this.#chain?.generation;
    if (generation === undefined) return;
    this.#chain = undefined;
    this.#saveNone();
    const message = 'The continuous backup has a gap, and begins anew as soon as it can';
    this.#events.push({ level: 'warn', message, fields: { generation, reason } });
  }

  #saveNone(): void {
    saveState(this.#place.spoolFolder, { target: this.#place.target, chain: undefined }, { sync: false });
  }

  #logBytes(): number {
    return statSync(`${this.#place.databaseFile}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}
