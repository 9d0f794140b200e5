/** What programs do with the client all day, in every runtime alike. It is given the package, and its types are erased before it runs. */
import type { Commonplace as Client } from '../src/commonplace.ts';
import type { ClientOptions } from '../src/settings.ts';
import type { UploadSource } from '../src/uploads.ts';

export interface Scene {
  readonly options: ClientOptions;
  readonly agentId: string;
  /** A path where there are files, a File elsewhere. */
  readonly handbook: UploadSource;
  readonly label: string;
  /** Where nothing listens. */
  readonly nowhere: string;
}

export async function useClient(Commonplace: typeof Client, { options, agentId, handbook, label, nowhere }: Scene): Promise<object> {
  const commonplace = new Commonplace(options);
  const agent = commonplace.agent(agentId);
  const session = await agent.sessions.open({ id: label });
  const isSame = (await agent.sessions.open({ id: label })).id === session.id;

  const { requestId } = await session.messages.create({ role: 'user', content: 'My budget for the oven is £5k' }).withResponse();
  await session.messages.createBatch({
    messages: [
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'A gas one, please.' },
    ],
  });
  const [hit] = await session.messages.search('What may it cost?', { limit: 1 });
  const contents: string[] = [];
  for await (const message of session.messages.list({ limit: 1 })) contents.push(message.content);
  const context = await session.context({ query: 'Which oven should they buy?', tokenBudget: 500 });

  const told: unknown[] = [];
  const [first] = (await session.events.list({ types: ['message.created'], limit: 1 })).data;
  for await (const { data } of session.events.follow({ types: ['message.created'], after: first?.id ?? '' })) {
    told.push((data.message as { content: string }).content);
    if (told.length === 2) break;
  }

  const labels = [`of=${label}`];
  const progress: number[] = [];
  const onProgress = ({ sentBytes, totalBytes }: { sentBytes: number; totalBytes: number }) => progress.push(sentBytes / totalBytes);
  const text = new Blob(['# Delivery\n\nOvens are delivered within a week.']);
  const documents = [
    await commonplace.documents.upload(handbook, { labels, onProgress }),
    await commonplace.documents.upload(text, { filename: 'delivery.md', labels }),
    await commonplace.documents.upload(text.stream(), { filename: 'again.md', labels }),
  ];
  for (const { id } of documents) await commonplace.documents.waitUntilIndexed(id);
  const [passage] = await commonplace.documents.search({ query: 'How long is the warranty?', labels: { of: label }, limit: 1 });
  const stored = await commonplace.documents.content(documents[2]?.id ?? '');

  const refused = await commonplace.agents.create({ name: '' }).catch((error: unknown) => error);
  const aborted = await commonplace.me.get({ signal: AbortSignal.abort() }).catch((error: unknown) => error);
  const lost = new Commonplace({ ...options, baseUrl: nowhere, maxRetries: 0 });
  const unanswered = await lost.me.get().catch((error: unknown) => error);
  return {
    isSame,
    hasRequestId: typeof requestId === 'string',
    found: hit?.text,
    contents,
    told,
    inContext: context.messages.some(({ content }) => content.includes('£5k')),
    titles: documents.map(({ title }) => title),
    progress: [progress[0], progress.at(-1)],
    passage: passage?.title,
    isStored: (await stored.text()) === (await text.text()),
    refused: refused instanceof Commonplace.BadRequestError && [refused.message, refused.details[0]?.path, typeof refused.requestId],
    isAbort: aborted instanceof Commonplace.APIUserAbortError,
    isUnanswered: unanswered instanceof Commonplace.APIConnectionError,
  };
}
