/** A team with something on every page, made through the API. The words are the caller's: calm ones, or hostile ones. */
import type { Agent, Document, Prompt, Session } from '@commonplace/client';
import type { Dashboard, Team } from './dashboard.ts';

export interface Words {
  readonly workspace: string;
  readonly agent: string;
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly said: readonly string[];
  readonly answered: string;
  readonly memory: string;
  readonly prompt: string;
  readonly document: string;
  readonly documentTitle: string;
}

export const calmWords: Words = {
  workspace: 'Millhouse Supply',
  agent: 'Order desk',
  title: 'Standing order, flour and delivery window',
  labels: { customer: 'holt-daughters', channel: 'mail' },
  said: [
    'We are closed on Mondays since October.',
    'I prefer deliveries before six in the morning.',
    'Which flour do you have in 25 kg sacks?',
  ],
  answered: 'Noted. We have strong white, spelt and rye in 25 kg sacks.',
  memory: 'Closed on Mondays since October',
  prompt: 'You answer for {{company}}.\nBe brief, and sign as {{name}}.\n',
  document: '# Deliveries\n\nVans leave at four. Orders are taken until noon.\n\n## Refunds\n\nRefunds are paid within fourteen days.\n',
  documentTitle: 'Delivery handbook',
};

export interface FurnishedTeam extends Team {
  readonly agent: Agent;
  readonly session: Session;
  readonly prompt: Prompt;
  readonly document: Document;
}

export async function furnishTeam(dashboard: Dashboard, words: Words = calmWords): Promise<FurnishedTeam> {
  const team = await dashboard.newTeam(words.workspace);
  const { client } = team;
  const prompt = await client.prompts.create({ name: 'Order desk reply', type: 'text', content: words.prompt, production: true });
  await client.prompts.versions.create(prompt.promptId, {
    type: 'text',
    content: `${words.prompt}Ask one question at a time.\n`,
    commitMessage: 'Ask less',
  });
  const agent = await client.agents.create({ name: words.agent, configs: { memoryPipeline: true }, promptId: prompt.promptId });
  const session = await client.sessions.create(agent.id, { id: 'chat-1', title: words.title, labels: { ...words.labels } });
  const messages = [
    ...words.said.map((content) => ({ role: 'user' as const, content })),
    { role: 'assistant' as const, content: words.answered },
  ];
  await client.messages.createBatch(agent.id, session.id, { messages });
  await client.memories.create(agent.id, session.id, { kind: 'fact', content: words.memory });
  const document = await client.documents.upload(new Blob([words.document]), {
    filename: 'handbook.md',
    title: words.documentTitle,
    labels: ['lang=en', 'public'],
  });
  await client.documents.upload(new Blob(['']), { filename: 'empty.txt', title: 'Price list October' });
  await client.accessKeys.create({ name: 'storefront', permissions: ['CAN_GET_AGENT', 'CAN_LIST_AGENTS'] });
  await client.memories.waitUntilExtracted(agent.id, session.id);
  await client.documents.waitUntilIndexed(document.id);
  return { ...team, agent, session, prompt, document };
}

/** Every page, with something on it. */
export function pagesOf({ path, agent, session, prompt, document }: FurnishedTeam): readonly string[] {
  return [
    ...['', '/start', '/agents', `/agents/${agent.id}`, '/sessions', `/agents/${agent.id}/sessions/${session.id}`],
    ...['/prompts', `/prompts/${prompt.promptId}`, '/knowledge', `/knowledge/${document.id}`, '/context', '/search?q=flour'],
    ...['/work', '/members', '/keys', '/audit', '/settings'],
  ].map((below) => path(below));
}
