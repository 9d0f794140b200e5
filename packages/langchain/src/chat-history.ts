/** A chat history, kept in a session of Commonplace. */
import type { SessionHandle } from '@commonplace/client';
import { MessageRecords } from '@commonplace/client/message-records';
import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import type { BaseMessage } from '@langchain/core/messages';
import { messageOf, newRecordOf } from './stored-messages.ts';

export class CommonplaceChatMessageHistory extends BaseListChatMessageHistory {
  lc_namespace = ['commonplace', 'chat_history'];
  readonly #records: MessageRecords;
  readonly #limit: number | undefined;

  /** `limit` is how many of the latest messages are read; all of them unless told. */
  constructor(session: SessionHandle, { limit }: { limit?: number } = {}) {
    super();
    this.#records = new MessageRecords(session.messages, 'langchain');
    this.#limit = limit;
  }

  /** Oldest first. */
  async getMessages(): Promise<BaseMessage[]> {
    const records = await this.#records.list(this.#limit);
    return records.map(messageOf);
  }

  async addMessage(message: BaseMessage): Promise<void> {
    await this.addMessages([message]);
  }

  override async addMessages(messages: BaseMessage[]): Promise<void> {
    await this.#records.append(messages.map(newRecordOf));
  }

  /** Deletes the messages, and with them the memories that were made of them. The session itself stays. */
  override async clear(): Promise<void> {
    await this.#records.clear();
  }
}
