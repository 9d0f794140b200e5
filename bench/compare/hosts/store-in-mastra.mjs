/** Mastra's memory on LibSQL, with semantic recall. */
import { randomUUID } from 'node:crypto';
import { load, serve, settings } from './work.mjs';

const { Memory } = load('@mastra/memory');
const { LibSQLStore, LibSQLVector } = load('@mastra/libsql');
const { folder, embeddingsUrl } = settings;

/** An embedding model of the AI SDK, asking the endpoint. */
const embedder = {
  specificationVersion: 'v2',
  provider: 'local',
  modelId: 'local',
  maxEmbeddingsPerCall: 100,
  supportsParallelCalls: true,
  async doEmbed({ values }) {
    const response = await fetch(`${embeddingsUrl}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: values, model: 'local', encoding_format: 'float' }),
    });
    if (!response.ok) throw new Error(await response.text());
    const { data } = await response.json();
    return { embeddings: data.map(({ embedding }) => embedding) };
  },
};
const storage = new LibSQLStore({ id: 'bench', url: `file:${folder}/mastra.db` });
const memory = new Memory({
  storage,
  vector: new LibSQLVector({ id: 'bench', url: `file:${folder}/vectors.db` }),
  embedder,
  options: { lastMessages: false, semanticRecall: { topK: 10, messageRange: 0, scope: 'thread' } },
});
const threads = new Map();

/** Made once for each scope, however many ask for it at the same time. */
function thread(scope) {
  if (!threads.has(scope)) {
    const now = new Date();
    threads.set(
      scope,
      memory.saveThread({ thread: { id: scope, resourceId: 'bench', title: scope, createdAt: now, updatedAt: now, metadata: {} } }),
    );
  }
  return threads.get(scope);
}

async function store(scope, texts) {
  await thread(scope);
  const messages = texts.map((text) => ({
    id: randomUUID(),
    role: 'user',
    threadId: scope,
    resourceId: 'bench',
    type: 'text',
    createdAt: new Date(),
    content: { format: 2, parts: [{ type: 'text', text }], content: text },
  }));
  await memory.saveMessages({ messages });
  return messages.map(({ id }) => id);
}

await serve({
  fill: store,
  write: (caller, text) => store(`writes-${caller}`, [text]),
  batch: (caller, texts) => store(`writes-${caller}`, texts),
  read: async (_scope, id) => {
    const { messages } = await (await storage.getStore('memory')).listMessagesById({ messageIds: [id] });
    if (messages[0]?.id !== id) throw new Error(`${id} is not there`);
  },
  search: async (scope, question) => {
    const { messages } = await memory.recall({ threadId: scope, resourceId: 'bench', vectorSearchString: question });
    if (messages.length === 0) throw new Error('Nothing was found');
  },
});
