/** Where a handle is: the resources of its workspace, and its agent. */
import type { APIPromise } from '../api-promise.ts';
import type { Agents } from '../resources/agents.ts';
import type { Documents } from '../resources/documents.ts';
import type { Events } from '../resources/events.ts';
import type { Memories } from '../resources/memories.ts';
import type { Messages } from '../resources/messages.ts';
import type { Sessions } from '../resources/sessions.ts';
import type { RequestOptions } from '../transport.ts';

export interface AgentPlace {
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly messages: Messages;
  readonly memories: Memories;
  readonly documents: Documents;
  readonly events: Events;
  /** Looks a handle up; an id is known already. */
  readonly agentId: (options?: Pick<RequestOptions, 'signal'>) => Promise<string>;
  /** Calls an operation once the id of the agent is known. */
  readonly call: <T>(options: Pick<RequestOptions, 'signal'> | undefined, operation: (agentId: string) => APIPromise<T>) => APIPromise<T>;
}
