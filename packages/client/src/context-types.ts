/** What a model call needs. By hand until the service has it: then these come from the contract as the others do. */

export interface ContextRequest {
  /** What the context has to bear on; the latest message of the user when absent. */
  query?: string | null;
  /** What `tokens` of the answer never passes, 200 to 200,000. Default: `4000`. */
  tokenBudget?: number;
  /** What may be in it; all that the caller may read when absent. */
  include?: ('prompt' | 'summary' | 'memories' | 'knowledge' | 'messages')[] | null;
  /** For the placeholders of the agent’s prompt. */
  variables?: Record<string, string | number | boolean> | null;
  /** Of the agent’s prompt: `latest` (also when absent), `production`, or a number such as `3` or `v3`. */
  version?: string | null;
  /** How tokens are counted: as models do, or roughly by the number of characters. Default: `"o200k_base"`. */
  tokenizer?: 'o200k_base' | 'cl100k_base' | 'estimate';
  /** Says in `omitted` what nearly came in, and why it did not. */
  explain?: boolean | null;
}

export interface AgentContextRequest extends ContextRequest {
  /** Of the sessions: every pair must match; at least one. */
  labels: Record<string, string>;
}

export interface ContextPiece {
  type: 'prompt' | 'summary' | 'memory' | 'knowledge' | 'message';
  /** Of the prompt version, memory, chunk or message. */
  id: string;
  text: string;
  /** Of the text alone. */
  tokens: number;
  /** How well it bears on the query, 0 to 1, within its own type; absent where it did not come by that. */
  score?: number;
  sessionId?: string;
  role?: 'system' | 'user' | 'assistant';
  createdAt?: string;
  kind?: 'summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived';
  documentId?: string;
  title?: string;
}

export interface OmittedPiece extends Omit<ContextPiece, 'tokens'> {
  /** Where they were counted. */
  tokens?: number;
  reason: string;
}

export interface ContextMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ModelContext {
  /** Of `messages` as they stand; never above the budget. */
  tokens: number;
  tokenBudget: number;
  tokenizer: 'o200k_base' | 'cl100k_base' | 'estimate';
  /** What it is made of, in the order in which it stands in `messages`. */
  pieces: ContextPiece[];
  /** Ready for a chat API: one system message, then the conversation in the order of time. */
  messages: ContextMessage[];
  /** Empty unless `explain` asks for it. */
  omitted: OmittedPiece[];
}
