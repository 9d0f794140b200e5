/** Stands in for an embeddings endpoint: answers at once with vectors made beforehand, in the form that it is asked for. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomFrom } from './texts.ts';

const DISTINCT = 256;

export interface StandInSettings {
  readonly dimensions: number;
}

interface Asked {
  readonly input: readonly string[];
  readonly encoding_format?: string;
}

function makeVectors(dimensions: number): Record<'base64' | 'float', string[]> {
  const random = randomFrom(dimensions);
  const vectors = Array.from({ length: DISTINCT }, () => Float32Array.from({ length: dimensions }, () => random() - 0.5));
  return {
    base64: vectors.map((vector) => JSON.stringify(Buffer.from(vector.buffer).toString('base64'))),
    float: vectors.map((vector) => JSON.stringify([...vector])),
  };
}

process.once('message', ({ dimensions }: StandInSettings) => {
  const vectors = makeVectors(dimensions);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { input, encoding_format } = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    const made = vectors[encoding_format === 'base64' ? 'base64' : 'float'];
    const data = input.map((text, index) => `{"index":${index},"embedding":${made[(text.length * 31 + index) % DISTINCT]}}`);
    response.setHeader('content-type', 'application/json').end(`{"data":[${data.join()}]}`);
  });
  server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
