/** The prompt and the latest message: in whatever else is, and cut where there is no other way. */
import type { ContextMessage } from '@commonplace/contract/contexts';
import type { MessageRole } from '@commonplace/contract/messages';
import type { MessageCandidate, PackingTask, PromptCandidate } from './candidates.ts';
import { cutText, jsonBytesOf } from './tokens/cutting.ts';
import type { TokenCounter } from './tokens/token-counter.ts';
import { TOKENS_AROUND_MESSAGE, TOKENS_BEFORE_ANSWER } from './units.ts';

/** Each stands in the answer twice, and there are two of them. */
const MOST_BYTES = 1_800_000;

export interface FittedPrompt {
  /** Of the version. */
  readonly id: string;
  readonly system: string;
  /** What a chat prompt lets the user and the assistant say. */
  readonly examples: readonly ContextMessage[];
  readonly tokens: number;
  readonly bytes: number;
}

/** Where both are too long, each has half of the budget; where one is, it has what the other leaves. */
export function fitRequired(
  { prompt, latest: [newest], tokenBudget }: PackingTask,
  counter: TokenCounter,
): { prompt: FittedPrompt | undefined; newest: MessageCandidate | undefined } {
  const available = tokenBudget - TOKENS_BEFORE_ANSWER;
  if (!newest) return { prompt: prompt && fitPrompt(prompt, available, counter), newest };
  const wanted = counter.count(newest.text, available) + TOKENS_AROUND_MESSAGE;
  const half = Math.floor(available / 2);
  const fitted = prompt && fitPrompt(prompt, Math.max(half, available - wanted), counter);
  const mostTokens = available - (fitted?.tokens ?? 0) - TOKENS_AROUND_MESSAGE;
  return { prompt: fitted, newest: { ...newest, text: cutText(newest.text, { mostTokens, mostBytes: MOST_BYTES }, counter) } };
}

/** One that is too long loses its examples first, from the last on. */
function fitPrompt({ id, messages }: PromptCandidate, mostTokens: number, counter: TokenCounter): FittedPrompt {
  const isExample = ({ role }: { role: string }) => role === 'user' || role === 'assistant';
  const instructions = messages.filter((message) => !isExample(message)).map(({ content }) => content);
  const system = cutText(instructions.join('\n\n'), { mostTokens: mostTokens - TOKENS_AROUND_MESSAGE, mostBytes: MOST_BYTES }, counter);
  let tokens = system === '' ? 0 : counter.count(system) + TOKENS_AROUND_MESSAGE;
  let bytes = 2 * jsonBytesOf(system);
  const examples: ContextMessage[] = [];
  for (const { role, content } of messages.filter(isExample)) {
    tokens += counter.count(content, mostTokens) + TOKENS_AROUND_MESSAGE;
    bytes += 2 * jsonBytesOf(content);
    if (tokens > mostTokens || bytes > 2 * MOST_BYTES) break;
    examples.push({ role: role as MessageRole, content });
  }
  return { id, system, examples, tokens: tokensOf(system, examples, counter), bytes };
}

function tokensOf(system: string, examples: readonly ContextMessage[], counter: TokenCounter): number {
  const contents = [...(system === '' ? [] : [system]), ...examples.map(({ content }) => content)];
  return contents.reduce((sum, content) => sum + counter.count(content) + TOKENS_AROUND_MESSAGE, 0);
}
