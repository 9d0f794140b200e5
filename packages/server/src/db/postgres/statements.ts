/** Sends statements by the extended protocol, prepared under a name where that pays. */
import { hash } from 'node:crypto';
import type { BatchRows, Queryable } from '../database.ts';
import { takeTurnIfLarge } from '../large-results.ts';
import { decodeRows } from '../shape.ts';
import type { Sql } from '../sql.ts';
import type { PacketClient } from './packet-client.ts';
import { type Result, type Step, sendPacket } from './packets.ts';

const MAX_NAMES = 500;
const MAX_CANDIDATES = 2_000;
const USES_BEFORE_A_NAME = 2;

/**
 * Names for prepared statements. A text earns its name by being used again, so that lists of every length don't take
 * the places of what is used all the time; and there is a bound, since each connection keeps a plan for each name.
 */
export class StatementNames {
  /** Off where a session is shared: the next statement may meet one that never heard of the name. */
  readonly #isOn: boolean;
  #names = new Map<string, string>();
  #uses = new Map<string, number>();
  #generation = 0;

  constructor(isOn = true) {
    this.#isOn = isOn;
  }

  nameOf(text: string): string | undefined {
    if (!this.#isOn) return undefined;
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size >= MAX_NAMES) return name;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < USES_BEFORE_A_NAME) {
      if (this.#uses.size >= MAX_CANDIDATES) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const given = `s${this.#generation}_${hash('sha256', text, 'base64url').slice(0, 20)}`;
    this.#names.set(text, given);
    return given;
  }

  /** New names for everything: the plans under the old ones no longer fit the tables. */
  renew(): void {
    this.#generation++;
    this.#names.clear();
  }
}

export function stepOf(statement: Sql, names: StatementNames): Step {
  const text = statement.text('postgres');
  return { name: names.nameOf(text), text, params: statement.params, isBinary: statement.isBinary };
}

export async function send(client: PacketClient, statement: Sql, names: StatementNames): Promise<Result> {
  const { results, failure } = await sendPacket(client, [stepOf(statement, names)]);
  if (failure !== undefined) throw failure;
  return results[0] as Result;
}

const MAX_TEXTS = 500;

/** What a text alone decides is worked out once. */
export function byText<T>(workOut: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined || known.has(text)) return found as T;
    const value = workOut(text);
    if (known.size >= MAX_TEXTS) known.clear();
    known.set(text, value);
    return value;
  };
}

/** Everything that `start` sends leaves in one packet; the client is in pipeline mode and waits for no answer in between. */
export function together<T>(client: PacketClient, start: () => T): T {
  const { stream } = client.connection;
  stream.cork();
  try {
    return start();
  } finally {
    stream.uncork();
  }
}

/** The error of a statement that had to touch or return a row and did not. */
export function missedGuard(statement: Sql, result: Result): Error | undefined {
  return statement.guard && result.rowCount === 0 ? statement.guard() : undefined;
}

/** The reading and writing calls, over whatever carries a statement out. */
export abstract class Statements implements Queryable {
  readonly engine = 'postgres';

  /** Carries out one statement; throws its guard's error where that applies. */
  protected abstract execute(statement: Sql): Promise<Result>;
  /** As `execute`, for a statement that finds one row at most. */
  protected lookUp(statement: Sql): Promise<Result> {
    return this.execute(statement);
  }

  abstract batch<const Statements extends readonly Sql[]>(statements: Statements): Promise<BatchRows<Statements>>;

  async query<Row>(statement: Sql<Row>): Promise<Row[]> {
    const { rows } = await this.execute(statement);
    await takeTurnIfLarge(rows);
    return decodeRows(statement, rows);
  }

  async one<Row>(statement: Sql<Row>): Promise<Row> {
    const row = decodeRows(statement, (await this.lookUp(statement)).rows)[0];
    if (row === undefined) throw new Error(`No row where one was expected: ${statement.text('postgres').trim().slice(0, 120)}`);
    return row;
  }

  async maybeOne<Row>(statement: Sql<Row>): Promise<Row | undefined> {
    return decodeRows(statement, (await this.lookUp(statement)).rows)[0];
  }

  async run(statement: Sql): Promise<number> {
    return (await this.execute(statement)).rowCount;
  }
}

/** A statement that may wait for a lock would hold up those that share its connection. */
export function locksNothing(statement: Sql): boolean {
  return statement.reads && locksNothingByText(statement.text('postgres'));
}

export function onlyReads(statement: Sql): boolean {
  return statement.reads && !CHANGES.test(statement.text('postgres'));
}

const CHANGES = /\b(insert|update|delete|merge)\b/i;
const locksNothingByText = byText((text) => !CHANGES.test(text) && !/\bfor (no key |key )?share\b/i.test(text));
