/**
 * Answers that come before their request was read whole. The client gets to see every one of them: the rest of the body is
 * read and dropped, and the connection goes on; or it is closed with notice, and only after a while of reading on, since a
 * socket that is closed with bytes unread takes back what was sent.
 */
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const MEBIBYTE = 1024 * 1024;
/** So much is read and dropped for the sake of a connection that goes on. */
const MOST_DROPPED_BYTES = 16 * MEBIBYTE;
/** And so much of one that ends. */
const LINGER_BYTES = 64 * MEBIBYTE;
const LINGER_MS = 15_000;
const IDLE_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

/** Sockets that were told to close: what comes on them after that is not carried out. */
const closing = new WeakSet<Socket>();

export function settleUnreadBodies(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    settleBody(request, reply);
    done(null, payload);
  });
}

/** Its socket was told to close. */
export function isClosing({ raw }: FastifyRequest): boolean {
  return closing.has(raw.socket);
}

/** Call it before the headers go out. */
export function settleBody(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request;
  const { socket } = raw;
  if (!(socket instanceof Socket)) return;
  const announced = raw.headers['content-length'];
  const isChunked = raw.headers['transfer-encoding'] !== undefined;
  if (raw.complete || (!isChunked && (announced === undefined || announced === '0'))) {
    // Fastify closes after every body that it could not take; one that was read is no reason to.
    if (reply.hasHeader('connection')) reply.removeHeader('connection');
    return;
  }
  raw.unpipe();
  raw.resume();
  if (!isChunked && Number(announced) <= MOST_DROPPED_BYTES) {
    reply.removeHeader('connection');
  } else {
    reply.header('connection', 'close');
    closing.add(socket);
  }
  lingerWhileUnread(socket, raw);
}

/** The newest of a connection's requests that were answered before they were read. */
const newestUnread = new WeakMap<Socket, IncomingMessage>();

/** Once for each connection, however many such answers it sees. */
function lingerWhileUnread(socket: Socket, request: IncomingMessage): void {
  const isKnown = newestUnread.has(socket);
  newestUnread.set(socket, request);
  if (isKnown) return;
  const destroySoon = socket.destroySoon.bind(socket);
  const isRead = () => newestUnread.get(socket)?.complete ?? true;
  socket.destroySoon = () => (isRead() ? destroySoon() : linger(socket, isRead));
}

/** Says that nothing more will come, and reads on until the client has ended, or for a while. */
export function linger(socket: Socket, isRead: () => boolean = () => false): void {
  if (socket.destroyed) return;
  socket.end();
  const begin = { atMs: performance.now(), bytes: socket.bytesRead };
  let last = begin;
  const timer = setInterval(() => {
    const now = { atMs: performance.now(), bytes: socket.bytesRead };
    if (now.bytes > last.bytes) last = now;
    const isOver = now.atMs - begin.atMs > LINGER_MS || now.atMs - last.atMs > IDLE_MS || now.bytes - begin.bytes > LINGER_BYTES;
    if (isOver || isRead()) socket.destroy();
  }, LOOK_EVERY_MS);
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearInterval(timer));
}
