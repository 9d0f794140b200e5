/**
 * Statements in one packet, answered as one: the server carries them out in order, and as one transaction where none is open. The first
 * that fails undoes those before it, and those after it are not looked at.
 */
import pg from 'pg';
import type { Param } from '../sql.ts';
import type { CommandComplete, DataRow, PacketClient } from './packet-client.ts';
import { PacketWriter } from './packet-writer.ts';
import { type Row, RowReader } from './row-reader.ts';

export interface Step {
  /** Undefined where it is not worth preparing. */
  readonly name: string | undefined;
  readonly text: string;
  readonly params: readonly Param[];
  readonly isBinary: boolean;
}

export interface Result {
  readonly rows: Row[];
  readonly rowCount: number;
}

export interface Outcome {
  /** Of the steps that were carried out: all, or those before the one that failed. */
  readonly results: Result[];
  /** Undefined where all is done, and committed where no transaction is open. */
  readonly failure: unknown;
}

/** What the client asks of a query, which the driver's types keep to themselves. */
interface DriverQuery {
  callback: ((error: Error | null) => void) | undefined;
}

const DriverQuery = pg.Query as unknown as new (text: string) => DriverQuery;

interface Writable {
  readonly stream: { readonly writable: boolean; write(bytes: Buffer): void };
}

const writer = new PacketWriter();
const NO_COLUMNS = new RowReader([]);

export function sendPacket(client: PacketClient, steps: readonly Step[]): Promise<Outcome> {
  return new Promise((resolve) => client.query(new Packet(client, steps, resolve) as unknown as pg.Submittable));
}

class Packet extends DriverQuery {
  readonly #client: PacketClient;
  readonly #steps: readonly Step[];
  readonly #settle: (outcome: Outcome) => void;
  readonly #results: Result[] = [];
  #rows: Row[] = [];
  /** Of the step under way, where it was asked for. */
  #described: RowReader | undefined;
  /** Of the step under way. */
  #reader: RowReader | undefined;

  constructor(client: PacketClient, steps: readonly Step[], settle: (outcome: Outcome) => void) {
    super('');
    this.#client = client;
    this.#steps = steps;
    this.#settle = settle;
    // The driver puts another around it, which ends its timer.
    this.callback = () => undefined;
  }

  submit(connection: Writable): Error | undefined {
    try {
      for (const step of this.#steps) this.#write(step);
      writer.sync();
    } catch (error) {
      writer.drop();
      return error as Error;
    }
    if (connection.stream.writable) connection.stream.write(writer.take());
    else writer.drop();
    return undefined;
  }

  #write(step: Step): void {
    const { name = '', text, params, isBinary } = step;
    const isPrepared = name !== '' && this.#client.prepared.has(keyOf(step));
    if (!isPrepared) {
      // One that was sent in vain, or together with what failed, may be there or not.
      if (name !== '') writer.close(name);
      writer.parse(name, text);
    }
    writer.bind(name, params, isBinary);
    if (!isPrepared) writer.describe();
    writer.execute();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#described = new RowReader(fields);
  }

  handleDataRow({ bytes, at }: DataRow): void {
    this.#reader ??= this.#described ?? this.#client.prepared.get(keyOf(this.#current));
    this.#rows.push((this.#reader as RowReader).read(bytes, at));
  }

  handleCommandComplete({ rowCount }: CommandComplete): void {
    this.#finishStep(rowCount);
  }

  handleEmptyQuery(): void {
    this.#finishStep(0);
  }

  handleReadyForQuery(): void {
    this.#finish(undefined);
  }

  handleError(error: unknown): void {
    this.#finish(error);
  }

  handlePortalSuspended(): void {}
  handleCopyInResponse(connection: { sendCopyFail(reason: string): void }): void {
    connection.sendCopyFail('Nothing is copied');
  }
  handleCopyData(): void {}

  get #current(): Step {
    return this.#steps[this.#results.length] as Step;
  }

  #finishStep(rowCount: number): void {
    const step = this.#current;
    const { prepared } = this.#client;
    if (step.name !== undefined && !prepared.has(keyOf(step))) prepared.set(keyOf(step), this.#described ?? NO_COLUMNS);
    this.#results.push({ rows: this.#rows, rowCount });
    this.#rows = [];
    this.#reader = undefined;
    this.#described = undefined;
  }

  #finish(failure: unknown): void {
    this.callback?.(null);
    this.#settle({ results: this.#results, failure });
  }
}

/** Of one statement, rows in binary form are read otherwise. */
function keyOf({ name, isBinary }: Step): string {
  return isBinary ? `${name} in binary` : (name as string);
}
