/** The resources that are read and written: paths, a small body, and the store functions behind them. */
import type { NewAccessKey } from '@commonplace/contract/access-keys';
import type { NewAgent } from '@commonplace/contract/agents';
import { createAccessKey, requireAccessKey } from '../packages/server/src/access-keys/store.ts';
import { createAgent, requireAgent } from '../packages/server/src/agents/store.ts';
import type { Actor } from '../packages/server/src/auth/callers.ts';
import type { Queryable } from '../packages/server/src/db/database.ts';

/** Rows that the reads go round. */
export const ROWS = 100;

/** Different bodies that the writes go round. */
export const BODIES = 1_000;

export interface Resource {
  readonly itemPattern: string;
  readonly collectionPattern: string;
  body(turn: number): object;
  create(db: Queryable, by: Actor, workspaceId: string, turn: number): Promise<{ id: string }>;
  read(db: Queryable, workspaceId: string, id: string): Promise<object>;
}

const key: NewAccessKey = { name: 'Production agent', permissions: ['CAN_CREATE_SESSION_MESSAGE', 'CAN_QUERY_SESSION_MESSAGES'] };
/** Many names: thousands of agents with one name run out of handles. */
const agent = (turn: number): NewAgent => ({ name: `Support bot ${turn % BODIES}`, description: 'Answers customers.' });

export const resources = {
  keys: {
    itemPattern: '/api/v1/workspaces/:workspaceId/keys/:keyId',
    collectionPattern: '/api/v1/workspaces/:workspaceId/keys',
    body: () => key,
    create: (db, by, workspaceId) => createAccessKey(db, by, workspaceId, key, Date.now()),
    read: requireAccessKey,
  },
  agents: {
    itemPattern: '/api/v1/workspaces/:workspaceId/agents/:agentId',
    collectionPattern: '/api/v1/workspaces/:workspaceId/agents',
    body: agent,
    create: (db, by, workspaceId, turn) => createAgent(db, by, workspaceId, agent(turn), Date.now()),
    read: requireAgent,
  },
} as const satisfies Record<string, Resource>;

export type ResourceName = keyof typeof resources;
