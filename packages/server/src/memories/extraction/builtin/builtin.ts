/** The extractor that is always there: rules over a language library, in a thread that starts with the first message. */
import { excerptOf } from '@commonplace/english/excerpt';
import { type Extraction, joinExtractions, knownAfter } from '@commonplace/english/extraction';
import type { EndedStatement, SpokenMessage, Summary } from '@commonplace/english/summary';
import type { Log } from '../../../logging.ts';
import { moduleBeside } from '../../../threads/thread-file.ts';
import { ThreadPool } from '../../../threads/thread-pool.ts';
import type { ExtractionResult, Extractor, KnownMemory, SourceMessage } from '../extractor.ts';

export const BUILTIN_NAME = 'builtin-2';

/** Of messages together; then it is the turn of others who wait for the thread. */
const CHARACTERS_IN_A_TURN = 20_000;
/** For one turn; a message that takes longer is given up with its thread. */
const LIMIT_MS = 30_000;
const WARN_AFTER_MS = 5_000;
/** Then the thread gives its memory back: about 150 MB, for half a second when the next message comes. */
const IDLE_MS = 60_000;
/** More than the jobs ever ask at once. */
const MAX_WAITING = 1_000;

export class BuiltinExtractor implements Extractor {
  readonly name = BUILTIN_NAME;
  readonly #threads: ThreadPool<typeof import('./thread.ts')>;

  constructor(log: Log) {
    this.#threads = new ThreadPool({
      name: 'builtin-extractor',
      module: moduleBeside(import.meta.url, 'thread'),
      log,
      limitMs: LIMIT_MS,
      warnAfterMs: WARN_AFTER_MS,
      idleMs: IDLE_MS,
      maxWaiting: MAX_WAITING,
    });
  }

  async extract(messages: readonly SourceMessage[], known: readonly KnownMemory[], signal: AbortSignal): Promise<ExtractionResult> {
    const found: Extraction[] = [];
    let knownNow: Parameters<typeof knownAfter>[0] = known;
    for (const some of turnsOf(messages)) {
      signal.throwIfAborted();
      const extraction = await this.#threads.run('extractFromMessages', some, knownNow);
      found.push(extraction);
      knownNow = knownAfter(knownNow, extraction);
    }
    return joinExtractions(found);
  }

  /** What a session was about; undefined where too little was said. */
  async summarize(messages: readonly SpokenMessage[], ended: readonly EndedStatement[]): Promise<Summary | undefined> {
    return this.#threads.run('summarize', messages, ended);
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }
}

/** In order; one that is longer than a turn has a turn of its own. */
function* turnsOf(messages: readonly SourceMessage[]): Generator<SourceMessage[]> {
  let some: SourceMessage[] = [];
  let characters = 0;
  for (const message of messages) {
    if (some.length > 0 && characters + message.content.length > CHARACTERS_IN_A_TURN) {
      yield some;
      some = [];
      characters = 0;
    }
    some.push({ ...message, content: excerptOf(message.content, CHARACTERS_IN_A_TURN) });
    characters += message.content.length;
  }
  if (some.length > 0) yield some;
}
