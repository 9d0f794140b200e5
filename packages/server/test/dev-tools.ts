/** The protocol of Chromium's developer tools, as far as tests need it: commands with answers, and events, over one WebSocket. */

interface Received {
  readonly id?: number;
  readonly method?: string;
  readonly params?: object;
  readonly sessionId?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export type Listener = (method: string, params: object) => void;

export class DevTools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #listeners = new Map<string, Listener>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Received));
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The browser has ended'));
    });
  }

  static async connect(address: string): Promise<DevTools> {
    const socket = new WebSocket(address);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error(`No answer from ${address}`)));
    });
    return new DevTools(socket);
  }

  /** A command to the browser, or to one of its pages by the session. */
  send<T>(method: string, params: object = {}, sessionId?: string): Promise<T> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return answer.promise as Promise<T>;
  }

  /** One listener for each page. */
  listen(sessionId: string, listener: Listener): void {
    this.#listeners.set(sessionId, listener);
  }

  #receive({ id, method, params, sessionId, result, error }: Received): void {
    if (id === undefined) {
      if (method && sessionId) this.#listeners.get(sessionId)?.(method, params ?? {});
      return;
    }
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) answer?.reject(new Error(error.message));
    else answer?.resolve(result);
  }
}
