/** What the service is held against: a Fastify route that stores nothing, with the same paths, bodies and answers. */
import Fastify from 'fastify';

/** Answers of the service, as samples: a bare route answers with as many bytes. */
export interface Samples {
  readonly itemPath: string;
  readonly collectionPath: string;
  readonly item: object;
  readonly created: object;
}

process.once('message', async ({ itemPath, collectionPath, item, created }: Samples) => {
  const server = Fastify();
  server.get(itemPath, async () => item);
  server.post(collectionPath, async (request, reply) => {
    reply.code(201);
    return { ...created, ...(request.body as object) };
  });
  process.send?.(await server.listen({ host: '127.0.0.1', port: 0 }));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
