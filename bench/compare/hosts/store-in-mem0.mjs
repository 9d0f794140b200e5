/** Mem0's library for Node with its default store, storing what it is given: no language model is asked. */
import { load, serve, settings } from './work.mjs';

const { Memory } = load('mem0ai/oss');
const { folder, embeddingsUrl: baseURL } = settings;
const memory = new Memory({
  embedder: { provider: 'openai', config: { apiKey: 'none', model: 'local', baseURL, embeddingDims: 384 } },
  llm: { provider: 'openai', config: { apiKey: 'none', baseURL } },
  vectorStore: { provider: 'memory', config: { collectionName: 'memories', dimension: 384, dbPath: `${folder}/vectors.db` } },
  historyDbPath: `${folder}/history.db`,
});

async function store(userId, texts) {
  const messages = texts.map((content) => ({ role: 'user', content }));
  const { results } = await memory.add(messages, { userId, infer: false });
  if (results.length !== texts.length) throw new Error(`${results.length} of ${texts.length} were stored`);
  return results.map(({ id }) => id);
}

await serve({
  fill: store,
  write: (caller, text) => store(`writes-${caller}`, [text]),
  batch: (caller, texts) => store(`writes-${caller}`, texts),
  read: async (_scope, id) => {
    if ((await memory.get(id))?.id !== id) throw new Error(`${id} is not there`);
  },
  search: async (scope, question) => {
    const { results } = await memory.search(question, { filters: { user_id: scope }, topK: 10, threshold: 0 });
    if (results.length === 0) throw new Error('Nothing was found');
  },
});
