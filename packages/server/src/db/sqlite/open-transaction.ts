/** An interactive transaction while its work runs: every call of it is one step in the writer thread, which sees its own writes. */
import type { Transaction } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { Sql } from '../sql.ts';
import type { Failure, Outcome, Unit } from './protocol.ts';
import { UnitQueries } from './unit-queries.ts';

export class OpenTransaction extends UnitQueries {
  readonly #send: (unit: Unit) => Promise<Outcome>;
  #over = false;
  /** The first failed statement; it undoes the transaction even where the work goes on as if nothing had happened. */
  #failure: Error | undefined;

  constructor(file: string, send: (unit: Unit) => Promise<Outcome>) {
    super(file);
    this.#send = send;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  end(): void {
    this.#over = true;
  }

  protected override async submit(unit: Unit): Promise<Outcome> {
    if (this.#over) throw new Error('The transaction is over: a call of it was made after its work had ended, or after its time limit');
    return this.#send(unit);
  }

  protected override failed(statements: readonly Sql[], failure: Failure): Error {
    const error = super.failed(statements, failure);
    this.#failure ??= error;
    return error;
  }
}

export type Work = (tx: Transaction) => Promise<unknown>;

export type WorkResult = { readonly ending: 'keep'; readonly value: unknown } | { readonly ending: 'undo'; readonly error: unknown };

/** Runs the work of a transaction to its end or its time limit; nothing else is written meanwhile. */
export async function finishWork(tx: OpenTransaction, work: Work, limitMs: number): Promise<WorkResult> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLong(limitMs)), limitMs);
  });
  try {
    return { ending: 'keep', value: await Promise.race([work(tx), limit]) };
  } catch (error) {
    return { ending: 'undo', error };
  } finally {
    clearTimeout(timer);
    tx.end();
  }
}

function tooLong(limitMs: number): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `The transaction was open for more than ${limitMs / 1000} s and was rolled back. ` +
      'Its work probably awaits the root database or something slow; inside a transaction use only its own calls.',
  );
}
