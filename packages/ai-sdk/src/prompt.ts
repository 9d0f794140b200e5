/** The prompt of a call: what of it is new, and what the session adds. */
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ContextMessage } from '@commonplace/client';
import { textOf } from './message-text.ts';

export interface ReadPrompt {
  /** The system messages at the beginning. */
  readonly instructions: LanguageModelV4Message[];
  /** What the caller brings of the conversation before what is new. */
  readonly earlier: LanguageModelV4Message[];
  /** The user’s messages at the end. None in the later steps of a loop, which end in tool results. */
  readonly fresh: LanguageModelV4Message[];
  /** The last one of the user, and which one it is. */
  readonly question: LanguageModelV4Message | undefined;
  readonly turn: string;
}

export function readPrompt(prompt: LanguageModelV4Prompt): ReadPrompt {
  const firstSaid = prompt.findIndex(({ role }) => role !== 'system');
  const start = firstSaid === -1 ? prompt.length : firstSaid;
  const end = prompt.findLastIndex(({ role }) => role !== 'user') + 1;
  const asked = prompt.findLastIndex(({ role }) => role === 'user');
  const question = prompt[asked];
  return {
    instructions: prompt.slice(0, start),
    earlier: prompt.slice(start, Math.max(start, end)),
    fresh: prompt.slice(Math.max(start, end)),
    question,
    turn: JSON.stringify([asked, question && textOf(question)]),
  };
}

/** What goes into the prompt besides what the caller passes. */
export interface Addition {
  readonly system: string;
  readonly history: readonly LanguageModelV4Message[];
}

export interface Comparison {
  readonly addition: Addition;
  /** Of what is new: what the session does not end in already. */
  readonly unwritten: readonly LanguageModelV4Message[];
}

/** Holds a context against what the caller passes: nothing comes twice. */
export function compareWithContext({ earlier, fresh }: ReadPrompt, context: readonly ContextMessage[]): Comparison {
  const said = context.filter(({ role }) => role !== 'system');
  const written = countWritten(said, fresh);
  const passed = countTexts(earlier);
  const history: LanguageModelV4Message[] = [];
  // From the end: of a text that was said more than once, the caller passes the latest.
  for (const message of said.slice(0, said.length - written).reverse()) {
    const key = keyOf(message.role, message.content);
    const left = passed.get(key) ?? 0;
    if (left > 0) passed.set(key, left - 1);
    else history.push(promptMessage(message));
  }
  return {
    // Providers take system messages at the beginning alone.
    addition: { system: systemText(context), history: history.reverse() },
    unwritten: fresh.slice(written),
  };
}

export function addToPrompt({ instructions, earlier, fresh }: ReadPrompt, { system, history }: Addition): LanguageModelV4Prompt {
  return [...addInstructions(instructions, system), ...history, ...earlier, ...fresh];
}

/** One system message is what every model takes. Where the caller’s has options, such as those of a cache, it stays as it is and ours follows. */
function addInstructions(instructions: readonly LanguageModelV4Message[], system: string): LanguageModelV4Message[] {
  if (system === '') return [...instructions];
  const last = instructions.at(-1);
  if (last?.role !== 'system' || last.providerOptions) return [...instructions, { role: 'system', content: system }];
  return [...instructions.slice(0, -1), { role: 'system', content: `${last.content}\n\n${system}` }];
}

/** How many of the new messages the session ends in: those that were written before the call, by the caller or by one that failed. */
function countWritten(said: readonly ContextMessage[], fresh: readonly LanguageModelV4Message[]): number {
  for (let count = Math.min(said.length, fresh.length); count > 0; count--) {
    const end = said.slice(-count);
    if (end.every(({ role, content }, index) => keyOf(role, content) === keyOfMessage(fresh[index] as LanguageModelV4Message)))
      return count;
  }
  return 0;
}

function countTexts(messages: readonly LanguageModelV4Message[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const message of messages) counts.set(keyOfMessage(message), (counts.get(keyOfMessage(message)) ?? 0) + 1);
  return counts;
}

const keyOf = (role: string, text: string) => `${role} ${text.trim()}`;
const keyOfMessage = (message: LanguageModelV4Message) => keyOf(message.role, textOf(message));

function systemText(context: readonly ContextMessage[]): string {
  return context.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n\n');
}

function promptMessage({ role, content }: ContextMessage): LanguageModelV4Message {
  return role === 'assistant'
    ? { role, content: [{ type: 'text', text: content }] }
    : { role: 'user', content: [{ type: 'text', text: content }] };
}
