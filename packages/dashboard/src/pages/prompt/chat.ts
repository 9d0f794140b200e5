/** The content of a chat prompt: a JSON array of turns. What else a turn has is kept as it stands. */

export interface Turn {
  readonly role: string;
  readonly content: string;
}

export const roles = ['system', 'user', 'assistant'] as const;

export function readTurns(content: string): readonly Turn[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return undefined;
  }
  return Array.isArray(parsed) && parsed.every(isTurn) ? parsed : undefined;
}

function isTurn(value: unknown): value is Turn {
  const { role, content } = (value ?? {}) as Partial<Turn>;
  return typeof role === 'string' && typeof content === 'string';
}

export const writeTurns = (turns: readonly Turn[]): string => JSON.stringify(turns, null, 2);

/** What is said, for placeholders: of a chat that can't be read, nothing. */
export function textsOf(type: 'text' | 'chat', content: string): readonly string[] {
  if (type === 'text') return [content];
  return readTurns(content)?.map((turn) => turn.content) ?? [];
}

/** As people compare it: roles on lines of their own, and what is said as it was written. */
export function readable(type: 'text' | 'chat', content: string): string {
  const turns = type === 'chat' ? readTurns(content) : undefined;
  return turns ? turns.map(({ role, content: said }) => `${role}:\n${said}\n`).join('\n') : content;
}

/** Whether nothing was changed but how the JSON is laid out. */
export function sameContent(type: 'text' | 'chat', before: string, after: string): boolean {
  if (before === after) return true;
  if (type === 'text') return false;
  const [old, now] = [readTurns(before), readTurns(after)];
  return old !== undefined && now !== undefined && JSON.stringify(old) === JSON.stringify(now);
}
