/** Why a question to a thread has no answer. */
import { AppError } from '../errors.ts';
import type { Failure } from './protocol.ts';

/** What the question's function threw. The message, the stack and the properties are those of the error in the thread. */
export class FailedInThread extends Error {
  readonly thread: string;
  constructor(thread: string, [message, stack, properties]: Failure) {
    super(message);
    Object.assign(this, properties);
    this.name = 'FailedInThread';
    this.stack = stack;
    this.thread = thread;
  }
}

/** The thread ended before it answered; what became of the question is not known. */
export class ThreadEnded extends Error {
  readonly thread: string;
  constructor(thread: string, cause: unknown) {
    super(`The ${thread} thread ended without an answer`, { cause });
    this.name = 'ThreadEnded';
    this.thread = thread;
  }
}

/** The question held its thread for longer than it may, and the thread was ended. */
export class TimeLimitExceeded extends Error {
  readonly thread: string;
  readonly question: string;
  constructor(thread: string, question: string, limitMs: number) {
    super(`The ${thread} thread was ended: ${question} took longer than ${limitMs / 1000} s`);
    this.name = 'TimeLimitExceeded';
    this.thread = thread;
    this.question = question;
  }
}

/** The thread has ended so often of late that no other is started for now. */
export class ThreadKeepsEnding extends Error {
  readonly thread: string;
  constructor(thread: string) {
    super(`The ${thread} thread keeps ending, and is not started again for now; see the log`);
    this.name = 'ThreadKeepsEnding';
    this.thread = thread;
  }
}

/** As many questions wait as may. */
export class ThreadsBusy extends AppError {
  constructor(thread: string) {
    super('unavailable', `Too much waits for the ${thread} thread; try again shortly`, { retryAfterSeconds: 1 });
  }
}
