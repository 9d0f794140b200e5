/** An embedding thread as the main thread sees it. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { guardExit, newGuardCells } from './native-guard.ts';
import { type Group, type GroupReply, type Opened, type Request, STOP, type WorkerData } from './protocol.ts';

export interface ThreadEvents {
  /** The model is loaded; or why it can't be. */
  opened(failure: string | undefined): void;
  answered(reply: GroupReply): void;
  /** Without having been stopped. */
  died(cause: unknown): void;
}

export class EmbeddingThread {
  readonly #worker: Worker;
  readonly #ended = Promise.withResolvers<void>();
  #stopped = false;

  constructor(modelDir: string | undefined, events: ThreadEvents) {
    const guard = newGuardCells();
    const unguard = guardExit(guard);
    this.#worker = new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
      name: 'embedding',
      workerData: { modelDir, guard } satisfies WorkerData,
      // The flags of the process are about the main thread; some (--input-type) would keep this one from starting.
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    this.#worker.once('message', (opened: Opened) => {
      this.#worker.on('message', (reply: GroupReply) => events.answered(reply));
      events.opened(opened.failure);
    });
    let cause: unknown;
    this.#worker.on('error', (error) => {
      cause = error;
    });
    this.#worker.on('exit', (code) => {
      unguard();
      if (!this.#stopped) events.died(cause ?? new Error(`The embedding thread ended with code ${code}`));
      this.#ended.resolve();
    });
  }

  send(group: Group): void {
    this.#post(group);
  }

  /** Resolves once the thread has ended. It must end by itself: terminated within a native call, it takes the process with it (SIGABRT). */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#post(STOP);
    await this.#ended.promise;
  }

  #post(request: Request): void {
    this.#worker.postMessage(request);
  }
}
