/** What the sessions of the example look like; those of each agent are in a file of their own. */
import type { NewMemory } from '@commonplace/client';

export interface ExampleSession {
  /** With the prefix, its own id in the workspace. */
  readonly id: string;
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  /** When it began, before the moment of filling. */
  readonly hoursAgo: number;
  readonly messages: readonly ExampleMessage[];
  /** Beside those that come from the messages by themselves. */
  readonly memories?: readonly Omit<NewMemory, 'meta'>[];
}

/** One who says something, so many minutes after what was said before. */
export type ExampleMessage = readonly [role: 'user' | 'assistant', minutesLater: number, content: string];
