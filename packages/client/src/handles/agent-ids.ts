/** Agents by handle: looked up once, and again after a while. */
import { NotFoundError } from '../errors.ts';
import type { Agents } from '../resources/agents.ts';

const KEPT_MS = 60_000;
const MOST_KEPT = 1_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export class AgentIds {
  readonly #agents: Agents;
  readonly #found = new Map<string, { readonly id: Promise<string>; readonly atMs: number }>();

  constructor(agents: Agents) {
    this.#agents = agents;
  }

  /** An id is taken as it is; a handle is looked up. */
  async idOf(idOrHandle: string): Promise<string> {
    if (UUID.test(idOrHandle)) return idOrHandle;
    const kept = this.#found.get(idOrHandle);
    if (kept && Date.now() - kept.atMs < KEPT_MS) return kept.id;
    if (this.#found.size >= MOST_KEPT) this.#found.clear();
    const id = this.#find(idOrHandle);
    this.#found.set(idOrHandle, { id, atMs: Date.now() });
    id.catch(() => this.#found.delete(idOrHandle));
    return id;
  }

  async #find(handle: string): Promise<string> {
    const [agent] = (await this.#agents.list({ handle, limit: 1 })).data;
    if (agent) return agent.id;
    throw new NotFoundError(`No agent of the workspace has the handle ${handle}`, { status: 404 });
  }
}
