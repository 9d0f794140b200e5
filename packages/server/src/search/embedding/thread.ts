/** An embedding thread as the main thread sees it. */
import type { Log } from '../../logging.ts';
import { FailedInThread, ThreadEnded } from '../../threads/errors.ts';
import { Thread } from '../../threads/thread.ts';
import { moduleBeside } from '../../threads/thread-file.ts';
import { guardExit, newGuardCells } from './native-guard.ts';
import type { EmbeddingData, EmbeddingQuestions, Group, GroupReply } from './protocol.ts';

/** For one text: between texts the thread looks at what has arrived. */
const WARN_AFTER_MS = 1_000;

export interface ThreadEvents {
  /** The model is loaded; or why it can't be. */
  opened(failure: string | undefined): void;
  answered(reply: GroupReply): void;
  /** Without having been stopped. */
  died(cause: unknown): void;
}

export interface ThreadOptions {
  readonly modelDir?: string | undefined;
  readonly log?: Log | undefined;
  readonly hasTokens?: boolean | undefined;
}

export class EmbeddingThread {
  readonly #thread: Thread<EmbeddingQuestions>;
  readonly #events: ThreadEvents;

  constructor({ modelDir, log, hasTokens = false }: ThreadOptions, events: ThreadEvents) {
    this.#events = events;
    const guard = newGuardCells();
    const unguard = guardExit(guard);
    this.#thread = new Thread({
      name: 'embedding',
      file: moduleBeside(import.meta.url, 'worker'),
      data: { modelDir, guard, hasTokens } satisfies EmbeddingData,
      log,
      warnAfterMs: WARN_AFTER_MS,
      // Terminated within onnxruntime, it takes the process with it (SIGABRT).
      endsItself: true,
      onDeath: ({ cause }) => events.died(cause),
    });
    this.#thread.opened.then(
      () => events.opened(undefined),
      (error) => {
        if (error instanceof FailedInThread) events.opened(error.message);
      },
    );
    void this.#thread.exited.then(unguard);
  }

  send(group: Group): void {
    const { id } = group;
    this.#thread.ask('embed', group).then(
      (embedded) => this.#events.answered({ id, embedded }),
      (error: Error) => {
        // What a thread has when it ends is known to whoever hears of its end.
        if (!(error instanceof ThreadEnded)) this.#events.answered({ id, failure: error.message });
      },
    );
  }

  /** Resolves once the thread has ended, after the text under way. */
  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
