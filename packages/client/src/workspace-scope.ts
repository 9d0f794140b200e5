/** Which workspace operations are about, where they do not say it. */
import { CommonplaceError } from './errors.ts';

export class WorkspaceScope {
  /** Tells scopes apart before their ids are known. */
  readonly key: string;
  #id: string | Promise<string> | undefined;
  /** Asks the service, where the key tells. */
  readonly #find: (() => Promise<string>) | undefined;

  constructor(id: string | undefined, find?: () => Promise<string>) {
    this.key = id ?? 'of the key';
    this.#id = id;
    this.#find = find;
  }

  async id(): Promise<string> {
    this.#id ??= this.#ask();
    return this.#id;
  }

  #ask(): Promise<string> {
    if (!this.#find) {
      throw new CommonplaceError(
        'Which workspace? Give the client a workspaceId, set COMMONPLACE_WORKSPACE_ID, or use commonplace.workspace(id)',
      );
    }
    const asked = this.#find();
    // One that failed is asked again by whoever comes next.
    asked.catch(() => {
      this.#id = undefined;
    });
    return asked;
  }
}
