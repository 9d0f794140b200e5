/** The retriever and the middleware against a real service. */
import { type AIMessage, HumanMessage } from '@langchain/core/messages';
import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { RunnablePassthrough, RunnableSequence } from '@langchain/core/runnables';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { clientOf, describeOnEachEngine } from '../../client/test/service.ts';
import { CommonplaceChatMessageHistory } from '../src/chat-history.ts';
import { commonplaceMiddleware } from '../src/middleware.ts';
import { CommonplaceRetriever } from '../src/retriever.ts';
import { startModel } from './model-stand-in.ts';

describeOnEachEngine((service) => {
  const client = () => clientOf(service());
  const upload = async (text: string, title: string, label: string) => {
    const document = await client().documents.upload(new Blob([text]), { filename: 'a.md', title, labels: [`shop=${label}`] });
    await client().documents.waitUntilIndexed(document.id);
    return document;
  };
  const startChat = async () => {
    const model = await startModel();
    onTestFinished(() => model.close());
    const chat = new ChatOpenAI({ model: 'stand-in', apiKey: 'none', configuration: { baseURL: model.url }, maxRetries: 0 });
    return { model, chat };
  };
  /** Documents of two shops, an agent who sees those of one, and a person with two sessions. */
  const furnish = async (shop: string) => {
    const warranty = await upload('# Ovens\n\n## Warranty\n\nThe warranty of an oven is five years.', `Handbook of ${shop}`, shop);
    await upload('# Ovens\n\nThe warranty of an oven is two years here.', 'Elsewhere', `not-${shop}`);
    const { id } = await client().agents.create({ name: `Support of ${shop}`, kbLabels: { shop } });
    const agent = client().agent(id);
    const session = await agent.sessions.open({ id: 'now', labels: { user: shop } });
    const earlier = await agent.sessions.open({ id: 'earlier', labels: { user: shop } });
    const stranger = await agent.sessions.open({ id: 'stranger', labels: { user: `not-${shop}` } });
    await session.memories.create({ kind: 'preference', content: 'User prefers gas ovens' });
    await earlier.memories.create({ kind: 'fact', content: 'User has a small oven' });
    await stranger.memories.create({ kind: 'fact', content: 'User hates every oven' });
    return { agent, session, warranty };
  };

  test('finds knowledge of the workspace, by labels, and of an agent', async () => {
    const { agent, warranty } = await furnish('first');
    const everywhere = await new CommonplaceRetriever({ commonplace: client(), labels: { shop: 'first' } }).invoke('warranty of an oven');
    const seen = await new CommonplaceRetriever({ agent, k: 1 }).invoke('warranty of an oven');
    expect(seen).toHaveLength(1);
    for (const [best] of [everywhere, seen]) {
      expect(best?.pageContent).toContain('five years');
      expect(best?.metadata).toMatchObject({
        type: 'knowledge',
        documentId: warranty.id,
        title: 'Handbook of first',
        labels: { shop: 'first' },
      });
      expect(best?.metadata.source).toBe(`commonplace://documents/${warranty.id}#${best?.id}`);
      expect(best?.metadata.id).toBe(best?.id);
      expect(best?.metadata.score).toBeGreaterThan(0);
    }
    expect(await new CommonplaceRetriever({ agent, minScore: 1 }).invoke('trains to Lisbon')).toEqual([]);
  });

  test('finds memories of a session, and of a person across sessions, each once', async () => {
    const { agent, session } = await furnish('second');
    const ofSession = await new CommonplaceRetriever({ session }).invoke('oven');
    expect(ofSession.map(({ pageContent }) => pageContent)).toEqual(['User prefers gas ovens']);
    expect(ofSession[0]?.metadata).toMatchObject({ type: 'memory', kind: 'preference', sessionId: session.id, id: ofSession[0]?.id });
    const ofPerson = await new CommonplaceRetriever({ agent, session, person: { user: 'second' }, k: 20 }).invoke('oven');
    const memories = ofPerson.filter(({ metadata }) => metadata.type === 'memory').map(({ pageContent }) => pageContent);
    expect(memories.sort()).toEqual(['User has a small oven', 'User prefers gas ovens']);
    expect(ofPerson.some(({ metadata }) => metadata.type === 'knowledge')).toBe(true);
    const scores = ofPerson.map(({ metadata }) => metadata.score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('says what is missing', () => {
    expect(() => new CommonplaceRetriever({})).toThrow('Say where to look');
    expect(() => new CommonplaceRetriever({ commonplace: client(), person: { user: '42' } })).toThrow('need an agent');
  });

  test('is a step of a chain', async () => {
    const { agent } = await furnish('third');
    const { model, chat } = await startChat();
    const chain = RunnableSequence.from([
      { knowledge: new CommonplaceRetriever({ agent, k: 2 }), question: new RunnablePassthrough<string>() },
      ({ knowledge, question }) => ({
        question,
        knowledge: knowledge.map(({ pageContent }: { pageContent: string }) => pageContent).join('\n'),
      }),
      ChatPromptTemplate.fromTemplate('Answer from this:\n{knowledge}\n\n{question}'),
      chat,
      new StringOutputParser(),
    ]);
    await chain.invoke('How long is the warranty?');
    expect(String(model.requests[0]?.[0]?.content)).toMatch(/^Answer from this:\n[\s\S]*five years[\s\S]*How long is the warranty\?$/);
  });

  test('an agent knows what bears on the question, through its tool calls, and its history goes on', async () => {
    const { session } = await furnish('fourth');
    const { model, chat } = await startChat();
    const weather = tool(async ({ city }) => `18 degrees in ${city}`, {
      name: 'get_weather',
      description: 'The weather of a city.',
      schema: z.object({ city: z.string() }),
    });
    const agent = createAgent({
      model: chat,
      tools: [weather],
      systemPrompt: 'You sell ovens.',
      middleware: [commonplaceMiddleware({ session })],
    });
    const history = new CommonplaceChatMessageHistory(session);
    const ask = async (question: string) => {
      const before = await history.getMessages();
      const { messages } = await agent.invoke({ messages: [...before, new HumanMessage(question)] });
      await history.addMessages(messages.slice(before.length));
      return messages.at(-1)?.text;
    };
    expect(await ask('Is it the weather for a gas oven?')).toBe('It is 18 degrees in Paris.');
    expect(model.requests).toHaveLength(2);
    for (const [system] of model.requests) {
      expect(system?.role).toBe('system');
      expect(JSON.stringify(system?.content)).toContain('You sell ovens.');
      expect(JSON.stringify(system?.content)).toContain('User prefers gas ovens');
    }
    expect(await ask('How long is the warranty of an oven?')).toBe(
      'You said: Is it the weather for a gas oven? | How long is the warranty of an oven?',
    );
    expect(JSON.stringify(model.requests[2]?.[0]?.content)).toContain('five years');
    expect(model.requests[2]?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    const kept = await history.getMessages();
    expect(kept.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai', 'human', 'ai']);
    expect((kept[1] as AIMessage).tool_calls).toMatchObject([{ name: 'get_weather', args: { city: 'Paris' } }]);
  });

  test('a text that no query may have does not stop an agent', async () => {
    const { session } = await furnish('fifth');
    const { chat, model } = await startChat();
    const agent = createAgent({ model: chat, tools: [], middleware: [commonplaceMiddleware({ session, tokenBudget: 300 })] });
    await agent.invoke({ messages: [new HumanMessage(`gas oven \0 ${'x'.repeat(9_989)}😀😀`)] });
    await agent.invoke({
      messages: [new HumanMessage({ content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] })],
    });
    expect(model.requests).toHaveLength(2);
  });
});
