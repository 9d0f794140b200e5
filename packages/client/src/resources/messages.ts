import type { APIPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import type { RequestOptions } from '../transport.ts';
import type {
  AgentMessageSearch,
  IdList,
  ListMessagesQuery,
  Message,
  MessageChanges,
  MessageHit,
  MessageSearch,
  NewMessage,
  NewMessages,
} from '../types.ts';
import { WorkspaceResource } from './resource.ts';

const agent = '/workspaces/{workspaceId}/agents/{agentId}';
const messages = `${agent}/sessions/{sessionId}/messages` as const;
const message = `${messages}/{messageId}` as const;
const batch = `${messages}/batch` as const;

export class Messages extends WorkspaceResource {
  create(agentId: string, sessionId: string, body: NewMessage, options?: RequestOptions): APIPromise<Message> {
    return this.request('POST', messages, { ids: { agentId, sessionId }, body }, options);
  }

  /** Up to 100, all or none, in the order given. */
  createBatch(agentId: string, sessionId: string, body: NewMessages, options?: RequestOptions): APIPromise<Message[]> {
    const answer: APIPromise<{ messages: Message[] }> = this.request('POST', batch, { ids: { agentId, sessionId }, body }, options);
    return answer.map(({ messages }) => messages);
  }

  /** Oldest first. */
  list(agentId: string, sessionId: string, query: ListMessagesQuery = {}, options?: RequestOptions): PagePromise<Message> {
    return this.listing(messages, { key: 'messages', ids: { agentId, sessionId }, query }, options);
  }

  get(agentId: string, sessionId: string, messageId: string, options?: RequestOptions): APIPromise<Message> {
    return this.request('GET', message, { ids: { agentId, sessionId, messageId } }, options);
  }

  update(agentId: string, sessionId: string, messageId: string, body: MessageChanges, options?: RequestOptions): APIPromise<Message> {
    return this.request('PUT', message, { ids: { agentId, sessionId, messageId }, body }, options);
  }

  delete(agentId: string, sessionId: string, messageId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', message, { ids: { agentId, sessionId, messageId } }, options);
  }

  /** Up to 100, all or none. */
  deleteBatch(agentId: string, sessionId: string, body: IdList, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', batch, { ids: { agentId, sessionId }, body }, options);
  }

  /** Best first, by meaning and by words. */
  search(agentId: string, sessionId: string, body: MessageSearch, options?: RequestOptions): APIPromise<MessageHit[]> {
    const operation = { ids: { agentId, sessionId }, body, changesNothing: true } as const;
    const answer: APIPromise<{ results: MessageHit[] }> = this.request('POST', `${messages}/search`, operation, options);
    return answer.map(({ results }) => results);
  }

  /** In all sessions of an agent, or in those that have the `labels`. */
  searchAgent(agentId: string, body: AgentMessageSearch, options?: RequestOptions): APIPromise<MessageHit[]> {
    const operation = { ids: { agentId }, body, changesNothing: true } as const;
    const answer: APIPromise<{ results: MessageHit[] }> = this.request('POST', `${agent}/messages/search`, operation, options);
    return answer.map(({ results }) => results);
  }
}
