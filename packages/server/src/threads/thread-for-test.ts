/** A thread for the tests of this folder. */
import { serveThread, transfer } from './serve.ts';

export type Signal = Int32Array<SharedArrayBuffer>;

export type TestQuestions = {
  echo: (value: unknown) => unknown;
  /** Raises the first cell, and holds the thread until the second is raised. */
  hold: (signal: Signal) => string;
  /** Holds the thread for so long. */
  pause: (ms: number) => void;
  /** Raises the cell, and never ends. */
  loop: (signal: Signal) => never;
  fail: (code: number) => never;
  crash: () => Promise<never>;
  unclonable: () => unknown;
  bytes: (length: number) => Uint8Array;
  /** How many bytes it was given, which are changed. */
  measure: (bytes: Uint8Array) => number;
  /** Answered when `release` is. */
  later: () => Promise<string>;
  release: () => string;
};

serveThread<TestQuestions, { readonly failsToOpen?: boolean; readonly hangsWhenOpened?: boolean } | undefined>((data) => {
  if (data?.hangsWhenOpened) for (;;);
  if (data?.failsToOpen) throw Object.assign(new Error('will not open'), { errcode: 26 });
  let release = () => {};
  const released = new Promise<string>((resolve) => {
    release = () => resolve('later');
  });
  return {
    echo: (value) => value,
    hold: (signal) => {
      raise(signal, 0);
      Atomics.wait(signal, 1, 0);
      return 'released';
    },
    pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
    loop: (signal) => {
      raise(signal, 0);
      for (;;);
    },
    fail: (code) => {
      throw Object.assign(new Error('failed on purpose'), { code, unclonable: code > 1 ? () => {} : undefined });
    },
    crash: () => {
      setImmediate(() => {
        throw new Error('crashed on purpose');
      });
      return new Promise(() => {});
    },
    unclonable: () => () => {},
    bytes: (length) => {
      const bytes = new Uint8Array(length).fill(7);
      return transfer(bytes, [bytes.buffer]);
    },
    measure: (bytes) => bytes.byteLength,
    later: () => released,
    release: () => {
      release();
      return 'released';
    },
  };
});

function raise(signal: Signal, cell: number): void {
  Atomics.store(signal, cell, 1);
  Atomics.notify(signal, cell);
}
