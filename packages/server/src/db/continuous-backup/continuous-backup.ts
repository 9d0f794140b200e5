/** The continuous backup as the engine sees it: asks its thread to cut, and the writer to checkpoint what was cut. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../logging.ts';
import { FailedInThread } from '../../threads/errors.ts';
import { RestartingThread } from '../../threads/restarting-thread.ts';
import { moduleBeside } from '../../threads/thread-file.ts';
import { DatabaseUnusable } from '../errors.ts';
import { type Chain, forgetState } from './chain.ts';
import type { CheckpointReply } from './checkpoints.ts';
import type { CutPlace } from './cutting.ts';
import type { BackupEvent, BackupOptions, CheckpointTask, CutReport, ShipperData, ShipperQuestions } from './protocol.ts';
import { SPOOL_FOLDER } from './spool.ts';

/** How often the size of the log is looked at, however seldom it is cut and sent. */
const MOST_MS_BETWEEN_LOOKS = 1_000;
const FINISH_MS = 5_000;
/** Only its own work waits for this thread. */
const WARN_AFTER_MS = 60_000;

export interface ContinuousBackupOptions {
  readonly dataDir: string;
  readonly file: string;
  readonly options: BackupOptions;
  readonly log: Log | undefined;
}

interface CheckpointingWriter {
  checkpoint(task: CheckpointTask): Promise<CheckpointReply>;
}

/** A run without a backup ends what an earlier one had begun. */
export function forgetBackup(dataDir: string): void {
  forgetState(join(dataDir, SPOOL_FOLDER));
}

export class ContinuousBackup {
  readonly #log: Log | undefined;
  readonly #intervalMs: number;
  readonly #finishMs: number;
  readonly #thread: RestartingThread<ShipperQuestions>;
  readonly #database: number;
  #gauges: Readonly<Record<string, number>> = {};
  #reportedMs = performance.now();
  #cutMs = performance.now();
  /** Why it last failed, so that a failure that lasts is logged once. */
  #failure: string | undefined;
  #ticking: Promise<CutReport | undefined> = Promise.resolve(undefined);
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  private constructor({ dataDir, file, options, log }: ContinuousBackupOptions) {
    this.#log = log;
    this.#intervalMs = options.intervalMs;
    this.#finishMs = options.finishMs ?? FINISH_MS;
    this.#database = openSync(file, 'r');
    this.#thread = new RestartingThread({
      name: 'sqlite-backup',
      file: moduleBeside(import.meta.url, 'shipper'),
      data: { options, dataDir, databaseFile: file, database: this.#database } satisfies ShipperData,
      log,
      warnAfterMs: WARN_AFTER_MS,
    });
  }

  static placeOf(dataDir: string, file: string, { url }: BackupOptions): CutPlace {
    return { databaseFile: file, spoolFolder: join(dataDir, SPOOL_FOLDER), target: url };
  }

  /** Before anything is written: how far the last run got is compared with what is there now. The target itself is not waited for. */
  static async open(options: ContinuousBackupOptions): Promise<ContinuousBackup> {
    const backup = new ContinuousBackup(options);
    try {
      await backup.#thread.open();
      return backup;
    } catch (error) {
      await backup.close();
      if (error instanceof FailedInThread)
        throw new DatabaseUnusable(`The continuous backup can't start. ${error.message}`, { cause: error });
      throw error;
    }
  }

  start(writer: CheckpointingWriter): void {
    this.#timer = setTimeout(
      () => {
        this.#ticking = this.#ticking.then(() => this.#tick(writer));
        void this.#ticking.then(() => {
          if (!this.#isStopped) this.start(writer);
        });
      },
      Math.min(this.#intervalMs, MOST_MS_BETWEEN_LOOKS),
    );
  }

  /** Cuts all of the log and has it emptied; whether it is. In its turn: nothing else is cut or folded meanwhile. */
  async eraseLog(writer: CheckpointingWriter): Promise<boolean> {
    const erasing = this.#ticking.then(async () => {
      const { task } = await this.#thread.ask('cut', true, true);
      if (!task) return false;
      const reply = await writer.checkpoint(task);
      await this.#thread.ask('adopt', task, reply);
      return reply.isErased ?? false;
    });
    this.#ticking = erasing.then(
      () => undefined,
      () => undefined,
    );
    return erasing;
  }

  gauges(): Readonly<Record<string, number>> {
    // Older by the time since the thread said so, should it say nothing any more.
    const age = (this.#gauges.backup_age_seconds ?? 0) + (performance.now() - this.#reportedMs) / 1000;
    return { ...this.#gauges, backup_age_seconds: age, ...(this.#failure !== undefined && { backup_is_failing: 1 }) };
  }

  /** Cuts for the last time while the writer is open; it cuts the rest itself when it closes. */
  async stop(): Promise<Chain | undefined> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#ticking;
    const report = await this.#cut(true);
    return report?.chain;
  }

  /** After every connection to the database is closed. */
  async close(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    try {
      if (this.#thread.isRunning) {
        const { waitingSegments, events } = await this.#thread.ask('finish', this.#finishMs);
        this.#logAll(events);
        if (waitingSegments > 0)
          this.#log?.warn({ waitingSegments }, 'Not everything is at the target of the backup; the next start sends the rest');
      }
    } catch (error) {
      this.#log?.warn({ err: error }, 'The continuous backup did not end cleanly');
    } finally {
      await this.#thread.close();
      closeSync(this.#database);
    }
  }

  /** A failure is logged and tried again: the service does not end for its backup. */
  async #tick(writer: CheckpointingWriter): Promise<CutReport | undefined> {
    const isDue = this.#intervalMs <= MOST_MS_BETWEEN_LOOKS || performance.now() - this.#cutMs >= this.#intervalMs;
    if (isDue) this.#cutMs = performance.now();
    const report = await this.#cut(isDue);
    if (!report?.task) return report;
    try {
      await this.#thread.ask('adopt', report.task, await writer.checkpoint(report.task));
      this.#failure = undefined;
    } catch (error) {
      this.#fail(error, 'The continuous backup could not checkpoint');
    }
    return report;
  }

  async #cut(isDue: boolean): Promise<CutReport | undefined> {
    try {
      const report = await this.#thread.ask('cut', isDue);
      this.#gauges = report.gauges;
      this.#reportedMs = performance.now();
      if (!report.task) this.#failure = undefined;
      this.#logAll(report.events);
      return report;
    } catch (error) {
      this.#fail(error, 'The continuous backup could not read what was written');
      return undefined;
    }
  }

  #fail(error: unknown, message: string): void {
    if (this.#failure !== message) this.#log?.error({ err: error }, message);
    this.#failure = message;
  }

  #logAll(events: readonly BackupEvent[]): void {
    for (const { level, message, fields } of events) this.#log?.[level](fields, message);
  }
}
