/** The two agents of the example, and the prompt of the first. */
import { EXAMPLE_NOTE, exampleAgentHandles } from '../marks.ts';
import { foremanSessions } from './foreman.ts';
import { orderDeskSessions } from './order-desk.ts';
import type { ExampleSession } from './sessions.ts';

export interface ExampleAgent {
  readonly handle: (typeof exampleAgentHandles)[number];
  /** Its handle is made from it. */
  readonly name: string;
  readonly description: string;
  /** The label that says whom a session is of. */
  readonly memorySubject: string;
  readonly usesPrompt: boolean;
  readonly sessions: readonly ExampleSession[];
}

export const exampleAgents: readonly ExampleAgent[] = [
  {
    handle: exampleAgentHandles[0],
    name: 'Order desk (example)',
    description: `${EXAMPLE_NOTE}: takes orders from bakeries for Millhouse Supply.`,
    memorySubject: 'customer',
    usesPrompt: true,
    sessions: orderDeskSessions,
  },
  {
    handle: exampleAgentHandles[1],
    name: 'Foreman (example)',
    description: `${EXAMPLE_NOTE}: writes code with the developers of Millhouse Supply.`,
    memorySubject: 'repo',
    usesPrompt: false,
    sessions: foremanSessions,
  },
];

export const examplePrompt = {
  name: 'Order desk reply (example)',
  description: `${EXAMPLE_NOTE}: how the order desk answers.`,
  versions: [
    {
      id: 'prompt-1',
      commitMessage: 'First draft',
      production: false,
      content: 'You are the order desk of {{company}}. Answer the customer {{customer}} politely.',
    },
    {
      id: 'prompt-2',
      commitMessage: 'Short answers, and the delivery window in each confirmation',
      production: true,
      content: `You are the order desk of {{company}}, a supplier of bakeries.
Answer {{customer}} in at most three sentences.
Confirm every order with its amount, its day and its delivery window.`,
    },
    {
      id: 'prompt-3',
      commitMessage: 'Ask for the allergen sheet when a product is new',
      production: false,
      content: `You are the order desk of {{company}}, a supplier of bakeries.
Answer {{customer}} in at most three sentences.
Confirm every order with its amount, its day and its delivery window.
Where a product is new to the customer, offer its allergen sheet.
If you don't know, say so and name who does.`,
    },
  ],
} as const;
