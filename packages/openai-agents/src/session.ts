/** A session of the OpenAI Agents SDK, kept in a session of Commonplace. */
import type { SessionHandle } from '@commonplace/client';
import { MessageRecords } from '@commonplace/client/message-records';
import type { AgentInputItem, Session } from '@openai/agents';
import { itemOf, newRecordOf } from './items.ts';

export class CommonplaceSession implements Session {
  readonly #sessionId: string;
  readonly #records: MessageRecords;

  constructor(session: SessionHandle) {
    this.#sessionId = session.id;
    this.#records = new MessageRecords(session.messages, 'openaiAgents');
  }

  /** The internal id of the session in Commonplace. */
  async getSessionId(): Promise<string> {
    return this.#sessionId;
  }

  /** All of them, or the last ones; oldest first. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const records = await this.#records.list(limit);
    return records.map(itemOf);
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    await this.#records.append(items.map(newRecordOf));
  }

  /** Takes the last one away. */
  async popItem(): Promise<AgentInputItem | undefined> {
    const last = await this.#records.pop();
    return last && itemOf(last);
  }

  /** Deletes the messages, and with them the memories that were made of them. The session itself stays. */
  async clearSession(): Promise<void> {
    await this.#records.clear();
  }
}
