/** What the index threads said of their scopes, for as long as nothing has been asked of them that may change it. */
import type { Description, Request, ScopeSize } from './protocol.ts';

const MOST_REMEMBERED = 500;

const CHANGES_NOTHING: ReadonlySet<Request['op']> = new Set([
  ...(['describe', 'vectorless', 'search', 'goOn', 'countThread', 'reserve'] as const),
  ...(['planSave', 'encodePart', 'noteSaved', 'gauges'] as const),
]);

export class Descriptions {
  /** By scope, the least recently used first. */
  readonly #known = new Map<string, Description>();
  /** Scopes whose description is under way: a change that is asked meanwhile comes behind it. */
  readonly #asked = new Map<string, symbol>();

  /** To be called with each question before it is sent. */
  noteQuestion({ op, scope }: { readonly op: Request['op']; readonly scope: string }): void {
    if (CHANGES_NOTHING.has(op)) return;
    this.#known.delete(scope);
    this.#asked.delete(scope);
  }

  find(scope: string): Description | undefined {
    const known = this.#known.get(scope);
    if (!known) return undefined;
    this.#known.delete(scope);
    this.#known.set(scope, known);
    return known;
  }

  /** Remembers what `ask` gives, unless something waits for its vector: that is seen to next. */
  async keep(scope: string, ask: () => Promise<Description | undefined>): Promise<Description | undefined> {
    const mark = Symbol(scope);
    this.#asked.set(scope, mark);
    try {
      const description = await ask();
      const isCurrent = this.#asked.get(scope) === mark;
      if (description && isCurrent && description.vectorlessCount === 0) this.#remember(scope, description);
      return description;
    } finally {
      if (this.#asked.get(scope) === mark) this.#asked.delete(scope);
    }
  }

  /** What it takes by now. */
  noteSize(scope: string, { size, bytes }: ScopeSize): void {
    const known = this.#known.get(scope);
    if (known) this.#known.set(scope, { ...known, size, bytes });
  }

  #remember(scope: string, description: Description): void {
    this.#known.set(scope, description);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }
}
