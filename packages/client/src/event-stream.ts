/** Server-sent events, out of bytes that are cut anywhere. */

export interface StreamedEvent {
  /** Undefined where it only says where the stream is. */
  readonly data: string | undefined;
  /** The last one that was said, by this event or one before. */
  readonly id: string | undefined;
}

export class EventStreamParser {
  /** Takes a byte order mark away, and keeps characters that are cut. */
  readonly #decoder = new TextDecoder();
  /** Of a line that has not ended. */
  #rest = '';
  #endedWithReturn = false;
  #data: string[] = [];
  #id: string | undefined;
  #hasId = false;
  #retryMs: number | undefined;

  /** How long to wait before coming again, as the stream asks for. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Those that end in these bytes. One that is cut off by the end of the stream never was. */
  parse(bytes: Uint8Array): StreamedEvent[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    // The other half of a line's end.
    if (this.#endedWithReturn && text[0] === '\n') text = text.slice(1);
    this.#endedWithReturn = text.endsWith('\r');
    const lines = text.split(/\r\n|[\r\n]/);
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop() as string;
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): StreamedEvent[] {
    if (line === '') return this.#end();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) {
      this.#id = value;
      this.#hasId = true;
    } else if (field === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value);
    return [];
  }

  #end(): StreamedEvent[] {
    const [data, hasId] = [this.#data, this.#hasId];
    this.#data = [];
    this.#hasId = false;
    if (data.length > 0) return [{ data: data.join('\n'), id: this.#id }];
    return hasId ? [{ data: undefined, id: this.#id }] : [];
  }
}
