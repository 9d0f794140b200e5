/** The side inside a thread: answers questions with functions, one after the other. */
import { type MessagePort, parentPort, receiveMessageOnPort, type Transferable, workerData } from 'node:worker_threads';
import { beginHold, endHold, type HoldCells } from './hold.ts';
import {
  type AnswerTo,
  type ArgumentsOf,
  type Failure,
  NOTICE,
  type NoticeFromThread,
  type NoticeToThread,
  nextNumber,
  type Question,
  type QuestionName,
  type Reply,
  type StartData,
  toFailure,
} from './protocol.ts';

export type Handlers<Questions> = {
  readonly [Name in QuestionName<Questions>]: (...args: ArgumentsOf<Questions, Name>) => Answering<AnswerTo<Questions, Name>>;
};

type Answering<Answer> = Answer | Transferred<Answer> | Promise<Answer | Transferred<Answer>>;

/** What a thread whose work goes on between questions may need. */
export interface ServedThread {
  /** Takes in what has arrived, in the middle of an answer; the thread counts as held by one step of its work and not by all of it. */
  receive(): void;
  /** What is to be done before the thread ends by itself. */
  onStop(work: () => Promise<void>): void;
}

type AnyHandlers = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** Made by `transfer`. */
export class Transferred<Answer> {
  readonly answer: Answer;
  readonly list: Transferable[];
  constructor(answer: Answer, list: Transferable[]) {
    this.answer = answer;
    this.list = list;
  }
}

/** An answer whose buffers are handed over and not copied. */
export function transfer<Answer>(answer: Answer, list: Transferable[]): Transferred<Answer> {
  return new Transferred(answer, list);
}

/** `open` gives the functions that answer; the main thread hears that the thread is open, or what `open` threw. */
export function serveThread<Questions, Data = undefined>(
  open: (data: Data, thread: ServedThread) => Handlers<Questions> | Promise<Handlers<Questions>>,
): void {
  if (!parentPort) throw new Error('Questions are served in threads only');
  const { cells, data } = workerData as StartData;
  const server = new QuestionServer(parentPort, cells);
  void server.open(async () => open(data as Data, server));
}

class QuestionServer implements ServedThread {
  readonly #port: MessagePort;
  readonly #cells: HoldCells;
  /** Those whose functions are asynchronous and not done. */
  readonly #underWay = new Set<number>();
  #handlers: AnyHandlers = {};
  #lastNumber = 0;
  #stop: () => Promise<void> = async () => {};

  constructor(port: MessagePort, cells: HoldCells) {
    this.#port = port;
    this.#cells = cells;
  }

  async open(open: () => Promise<object>): Promise<void> {
    try {
      this.#handlers = (await open()) as AnyHandlers;
    } catch (error) {
      this.#postFailure((failure) => [NOTICE, 'failed', failure], error);
      this.#port.close();
      return;
    } finally {
      endHold(this.#cells);
    }
    this.#port.on('message', (message: Question | NoticeToThread) => this.#accept(message));
    // Questions are numbered one by one, so the one that could not be read is known all the same.
    this.#port.on('messageerror', (error) => {
      this.#lastNumber = nextNumber(this.#lastNumber);
      this.#fail(this.#lastNumber, error);
    });
    this.#port.postMessage([NOTICE, 'opened'] satisfies NoticeFromThread);
  }

  receive(): void {
    endHold(this.#cells);
    for (let arrived = receiveMessageOnPort(this.#port); arrived; arrived = receiveMessageOnPort(this.#port)) {
      this.#accept(arrived.message as Question | NoticeToThread);
    }
    beginHold(this.#cells, this.#lastNumber);
  }

  onStop(work: () => Promise<void>): void {
    this.#stop = work;
  }

  #accept(message: Question | NoticeToThread): void {
    const [number, name, ...args] = message;
    if (number === NOTICE) {
      void this.#notice(name);
      return;
    }
    this.#lastNumber = number;
    beginHold(this.#cells, number);
    try {
      const handler = this.#handlers[name];
      if (typeof handler !== 'function') throw new Error(`The thread has no answer to "${name}"`);
      const answer = handler(...args);
      if (answer instanceof Promise) this.#answerLater(number, answer);
      else this.#answer(number, answer);
    } catch (error) {
      this.#fail(number, error);
    }
    if (this.#underWay.size === 0) endHold(this.#cells);
  }

  #answerLater(number: number, promise: Promise<unknown>): void {
    this.#underWay.add(number);
    promise
      .then((answer) => this.#answer(number, answer))
      .catch((error) => this.#fail(number, error))
      .finally(() => {
        this.#underWay.delete(number);
        if (this.#underWay.size === 0) endHold(this.#cells);
      });
  }

  #answer(number: number, answer: unknown): void {
    if (answer instanceof Transferred) this.#port.postMessage([number, answer.answer] satisfies Reply, answer.list);
    else this.#port.postMessage([number, answer] satisfies Reply);
  }

  #fail(number: number, error: unknown): void {
    this.#postFailure((failure) => [number, undefined, failure], error);
  }

  #postFailure(message: (failure: Failure) => Reply | NoticeFromThread, error: unknown): void {
    const failure = toFailure(error);
    try {
      this.#port.postMessage(message(failure));
    } catch {
      // Properties that can't be cloned are not worth the message and the stack.
      this.#port.postMessage(message([failure[0], failure[1], {}]));
    }
  }

  async #notice(notice: string): Promise<void> {
    if (notice === 'unanswered') {
      this.#port.postMessage([NOTICE, 'unanswered', this.#lastNumber, [...this.#underWay]] satisfies NoticeFromThread);
      return;
    }
    await this.#stop();
    this.#port.close();
  }
}
