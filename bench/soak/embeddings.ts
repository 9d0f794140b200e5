/** An embeddings endpoint that answers at once: the service is under test, and not a model. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const DIMENSIONS = 16;

export interface EmbeddingsEndpoint extends AsyncDisposable {
  readonly url: string;
}

export async function startEmbeddings(): Promise<EmbeddingsEndpoint> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { input } = JSON.parse(body) as { input: string[] };
    response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function vectorOf(text: string): number[] {
  return Array.from({ length: DIMENSIONS }, (_, at) => 1 + ((text.charCodeAt(at % text.length) || 0) % 7));
}
