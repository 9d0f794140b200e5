/**
 * The stand-in for peers that ask an endpoint for embeddings: the model that comes with the service, spoken to as OpenAI's is. A process of
 * its own, whose processor time counts for the peer. Whoever asks it for anything else is refused.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LocalEmbedder } from '../../packages/server/src/search/embedding/local.ts';

interface Asked {
  readonly input: string | readonly string[];
  readonly encoding_format?: 'float' | 'base64';
}

const embedder = new LocalEmbedder();

async function embeddingsOf({ input, encoding_format }: Asked): Promise<object> {
  const texts = typeof input === 'string' ? [input] : input;
  const vectors = await embedder.embed(texts, { priority: texts.length === 1 ? 'query' : 'background' });
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding:
      encoding_format === 'base64' ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64') : [...vector],
  }));
  return { object: 'list', model: 'local', data, usage: { prompt_tokens: 0, total_tokens: 0 } };
}

const server = createServer(async (request, response) => {
  response.setHeader('content-type', 'application/json');
  try {
    let body = '';
    for await (const piece of request) body += piece;
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') throw new Error(`There is no ${request.method} ${request.url} here`);
    response.end(JSON.stringify(await embeddingsOf(JSON.parse(body))));
  } catch (error) {
    response.statusCode = 400;
    response.end(JSON.stringify({ error: { message: String(error) } }));
  }
});

process.on('message', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', async () => {
  // The model is in memory before anything is measured.
  await embedder.embed(['ready']);
  process.send?.('ready');
});
