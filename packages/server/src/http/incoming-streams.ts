/** Bodies of any size, read by their handler as they arrive: no more is held than the handler holds. */
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { AppError } from '../errors.ts';

export interface StreamDeclaration {
  readonly contentType: string;
  /** For the documentation. */
  readonly description: string;
}

/** The part of the server for routes that take a stream: elsewhere such a body is of a type that nobody takes. */
export async function acceptStreams(server: FastifyInstance): Promise<{ readonly streams: FastifyInstance }> {
  let streams = server;
  await server.register(async (inner) => {
    inner.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    streams = inner;
  });
  // Inside an object: the server by itself has a `then`, and would be waited for.
  return { streams };
}

/** Before any of the body is read. */
export function requireType({ contentType }: StreamDeclaration): preParsingHookHandler {
  return (request, _reply, payload, done) => {
    const [sent = ''] = (request.headers['content-type'] ?? '').split(';');
    if (sent.trim().toLowerCase() === contentType) done(null, payload);
    else done(new AppError('unsupported_media_type', `Content-Type must be ${contentType}`));
  };
}

const streaming = new WeakSet<Duplex>();

/** Whether the request that it is sending may take as long as it takes: it is cut off where nothing moves on it alone. */
export function sendsStream(socket: Duplex): boolean {
  return streaming.has(socket);
}

/** Throws where the caller hangs up before the end. What is left unread is dealt with as that of any other request. */
export async function* readIncoming({ raw }: FastifyRequest): AsyncGenerator<Buffer, void> {
  const { socket } = raw;
  streaming.add(socket);
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (error) {
    throw new AppError('bad_request', 'The connection was lost before the end of the body', { cause: error });
  } finally {
    streaming.delete(socket);
  }
}
