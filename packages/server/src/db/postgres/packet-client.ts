/** Clients whose statements are sent and read by packets. The driver connects, and does all that comes before and after. */
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';
import type { RowReader } from './row-reader.ts';

const [DATA_ROW, COMMAND_COMPLETE] = [0x44, 0x43];
const NULL_LENGTH = -1;

interface Message {
  readonly name: string;
}

/** What the driver's parser does for each message, which its types keep to themselves. */
interface MessageParser {
  parse(bytes: Buffer, receive: (message: Message) => void): void;
  handlePacket(at: number, code: number, length: number, bytes: Buffer): Message;
}

const TextParser = Parser as unknown as new () => MessageParser;

/** A message where it came, to be read before the next; the driver's own queries read it as text. */
abstract class ReceivedMessage {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  length = 0;

  set(bytes: Buffer, at: number, length: number): this {
    this.bytes = bytes;
    this.at = at;
    this.length = length;
    return this;
  }
}

export class DataRow extends ReceivedMessage {
  readonly name = 'dataRow';

  get fields(): (string | null)[] {
    const fields: (string | null)[] = [];
    let at = this.at + 2;
    for (let count = this.bytes.readInt16BE(this.at); count > 0; count--) {
      const size = this.bytes.readInt32BE(at);
      at += 4;
      fields.push(size === NULL_LENGTH ? null : this.bytes.toString('utf8', at, at + size));
      at += Math.max(0, size);
    }
    return fields;
  }
}

export class CommandComplete extends ReceivedMessage {
  readonly name = 'commandComplete';

  get text(): string {
    return this.bytes.toString('latin1', this.at, this.#end);
  }

  /** The number that it ends with: "INSERT 0 3", "SELECT 1". None is none. */
  get rowCount(): number {
    let count = 0;
    let unit = 1;
    for (let at = this.#end - 1; at >= this.at; at--, unit *= 10) {
      const digit = (this.bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9) break;
      count += digit * unit;
    }
    return count;
  }

  /** Behind the length of four bytes come the text and a zero. */
  get #end(): number {
    return this.at + this.length - 5;
  }
}

class ReceivingParser extends TextParser {
  readonly #row = new DataRow();
  readonly #complete = new CommandComplete();

  override handlePacket(at: number, code: number, length: number, bytes: Buffer): Message {
    if (code === DATA_ROW) return this.#row.set(bytes, at, length);
    if (code === COMMAND_COMPLETE) return this.#complete.set(bytes, at, length);
    return super.handlePacket(at, code, length, bytes);
  }
}

/** The driver calls it once there is a stream, with TLS once more. */
interface Listening {
  attachListeners(stream: NodeJS.ReadableStream): void;
}

export class PacketClient extends pg.Client {
  /** How the rows of each prepared statement are read, by its name. */
  readonly prepared = new Map<string, RowReader>();

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this;
    (connection as unknown as Listening).attachListeners = (stream) => {
      const parser = new ReceivingParser();
      stream.on('data', (bytes: Buffer) =>
        parser.parse(bytes, (message) => connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)),
      );
    };
  }
}
