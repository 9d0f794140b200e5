/** Items of the SDK as records of a session, and back. */
import type { MessageRecord, NewRecord, Path } from '@commonplace/client/message-records';
import type { AgentInputItem } from '@openai/agents';

/** Calls, results and reasoning are the assistant's: what a tool says is neither an instruction nor a statement of the user. */
export function newRecordOf(item: AgentInputItem): NewRecord {
  return { role: 'role' in item ? item.role : 'assistant', value: item, textAt: textsOf(item), label: labelOf(item) };
}

/** A message that something else wrote to the session is one of its role. */
export function itemOf({ role, text, value }: MessageRecord): AgentInputItem {
  if (typeof value === 'object' && value !== null) return value as AgentInputItem;
  if (role === 'assistant') return { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text }] };
  return { type: 'message', role, content: text };
}

function textsOf(item: AgentInputItem): Path[] {
  if ('role' in item) return textsIn(item.content, 'content');
  return item.type === 'function_call_result' ? textsIn(item.output, 'output') : [];
}

/** A string, a part, or a list of parts. */
function textsIn(content: unknown, ...at: Path): Path[] {
  if (typeof content === 'string') return [at];
  if (Array.isArray(content)) return content.flatMap((part, index) => (typeof part === 'object' ? textsIn(part, ...at, index) : []));
  if (typeof content !== 'object' || content === null) return [];
  const key = 'refusal' in content ? 'refusal' : 'text';
  return typeof (content as Record<string, unknown>)[key] === 'string' ? [[...at, key]] : [];
}

function labelOf(item: AgentInputItem): string {
  if (item.type === 'function_call' || item.type === 'hosted_tool_call') return `${item.name}(${item.arguments ?? ''})`;
  return `(${item.type ?? 'message'})`;
}
