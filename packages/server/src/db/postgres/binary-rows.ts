/** Clients that read results in binary form. The driver asks for them, but its parser reads every value as text, which would damage bytes. */
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';

const DATA_ROW = 0x44;
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

class BinaryRowParser extends TextParser {
  #isBinary = false;

  override handlePacket(at: number, code: number, length: number, bytes: Buffer): Message {
    if (code === DATA_ROW && this.#isBinary) return readRow(at, length, bytes);
    const message = super.handlePacket(at, code, length, bytes);
    if (isDescription(message)) this.#isBinary = message.fields.some(({ format }) => format === 'binary');
    return message;
  }
}

function isDescription(message: Message): message is Message & { readonly fields: readonly { readonly format: string }[] } {
  return message.name === 'rowDescription';
}

/** Views of what was received: whoever takes the row copies them. */
function readRow(start: number, length: number, bytes: Buffer) {
  const fields: (Buffer | null)[] = [];
  let at = start + 2;
  for (let count = bytes.readInt16BE(start); count > 0; count--) {
    const size = bytes.readInt32BE(at);
    at += 4;
    fields.push(size === NULL_LENGTH ? null : bytes.subarray(at, at + size));
    at += Math.max(0, size);
  }
  return { name: 'dataRow', length, fieldCount: fields.length, fields };
}

/** The driver calls it once there is a stream, with TLS once more. */
interface Listening {
  attachListeners(stream: NodeJS.ReadableStream): void;
}

export class BinaryClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this;
    (connection as unknown as Listening).attachListeners = (stream) => {
      const parser = new BinaryRowParser();
      stream.on('data', (bytes: Buffer) =>
        parser.parse(bytes, (message) => connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)),
      );
    };
  }
}
