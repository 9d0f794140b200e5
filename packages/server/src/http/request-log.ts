/** The log of one request, made when its first line is written: most requests write none, and a child logger took 4 % of a GET. */
import type { FastifyBaseLogger } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type Options = Parameters<FastifyBaseLogger['child']>[1];

export class RequestLog {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: Options;
  #own: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: Options) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  get level(): string {
    return this.#parent.level;
  }

  fatal(details: object, message?: string): void {
    this.#log().fatal(details, message);
  }
  error(details: object, message?: string): void {
    this.#log().error(details, message);
  }
  warn(details: object, message?: string): void {
    this.#log().warn(details, message);
  }
  info(details: object, message?: string): void {
    this.#log().info(details, message);
  }
  debug(details: object, message?: string): void {
    this.#log().debug(details, message);
  }
  trace(details: object, message?: string): void {
    this.#log().trace(details, message);
  }
  silent(): void {}

  child(bindings: Bindings, options?: Options): FastifyBaseLogger {
    return this.#log().child(bindings, options);
  }

  #log(): FastifyBaseLogger {
    this.#own ??= this.#parent.child(this.#bindings, this.#options);
    return this.#own;
  }
}
