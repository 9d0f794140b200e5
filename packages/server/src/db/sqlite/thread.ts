/** The threads of this engine. */
import type { Log } from '../../logging.ts';
import type { ThreadOptions } from '../../threads/thread.ts';
import { moduleBeside } from '../../threads/thread-file.ts';

/** As for the event loop: requests wait for it. */
const WARN_AFTER_MS = 200;

/** `file` is the name of the file beside this one which the thread runs. */
export function threadOptions(file: 'writer' | 'reader' | 'checker', data: object | undefined, log: Log | undefined): ThreadOptions {
  return {
    name: `sqlite-${file}`,
    file: moduleBeside(import.meta.url, file),
    data,
    log,
    warnAfterMs: WARN_AFTER_MS,
  };
}
