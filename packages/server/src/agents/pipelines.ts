/** Which agents extract memories: asked with every message, so it is kept, and forgotten on every node when an agent changes. */
import type { Agent } from '@commonplace/contract/agents';
import type { Database, Queryable } from '../db/database.ts';
import { invalidate } from '../db/invalidation.ts';
import { shape } from '../db/shape.ts';
import { type Sql, sql } from '../db/sql.ts';

const TOPIC = 'memory-pipelines';
const MOST_KEPT = 20_000;

const configured = shape<Pick<Agent, 'configs'>>({ configs: 'json' });

/** In the batch of a change of the agent's configs: when that resolves, every node knows. */
export function forgetPipeline(agentId: string): Sql {
  return invalidate(TOPIC, agentId);
}

export class MemoryPipelines {
  readonly #db: Database;
  /** By agent: an id may be that of an agent in two workspaces, where one was brought in from the other. */
  readonly #kept = new Map<string, { workspaceId: string; isOn: boolean }>();
  /** Counts changes, so that a look-up that was under way during one is not kept. */
  #generation = 0;

  constructor(db: Database) {
    this.#db = db;
    db.listen(TOPIC, (agentId) => {
      this.#generation++;
      if (agentId === '*') this.#kept.clear();
      else this.#kept.delete(agentId);
    });
  }

  /**
   * Answers without a promise when it is known, and asks `db` otherwise: a transaction has a connection already, and would wait for a
   * second one that others have who wait like it.
   */
  isOn({ workspaceId, agentId }: { workspaceId: string; agentId: string }, db: Queryable): boolean | Promise<boolean> {
    const kept = this.#db.trustsBroadcasts() ? this.#kept.get(agentId) : undefined;
    return kept?.workspaceId === workspaceId ? kept.isOn : this.#lookUp(db, workspaceId, agentId);
  }

  async #lookUp(db: Queryable, workspaceId: string, agentId: string): Promise<boolean> {
    const generation = this.#generation;
    const agent = await db.maybeOne(sql<Pick<Agent, 'configs'>>`
      select ${configured} from agents where workspace_id = ${workspaceId} and id = ${agentId}`);
    if (!agent) return false;
    const isOn = agent.configs.memoryPipeline;
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    if (generation === this.#generation) this.#kept.set(agentId, { workspaceId, isOn });
    return isOn;
  }
}
