/** Requests that one connection sends without waiting for answers: so many are worked on, the others wait, and no more is read meanwhile. */
import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Not imported: that would read each of its exports, and one of them loads a whole HTTP client of 14 MB. */
const { createServer } = process.getBuiltinModule('node:http');

export const MAX_OF_CONNECTION = 32;

interface Connection {
  readonly socket: Socket;
  underWay: number;
  /** What was parsed already when the connection was paused: what fits into one read of it. */
  readonly held: (() => void)[];
  isWatched: boolean;
}

const connectionOfAnswer = Symbol('connection');
type CountedResponse = ServerResponse & { [connectionOfAnswer]?: Connection };

/** One function for all answers, and not a closure for each. */
function endAnswer(this: CountedResponse): void {
  const connection = this[connectionOfAnswer] as Connection;
  connection.underWay--;
  beginNext(connection);
}

function beginNext({ socket, held }: Connection): void {
  // Whoever hung up waits for nothing.
  if (socket.destroyed) held.length = 0;
  const next = held.shift();
  if (!next) return;
  next();
  if (held.length === 0) socket.resume();
}

export function createPipeliningServer(options: ServerOptions, handle: RequestListener): Server {
  const server = createServer(options, boundPipelining(handle));
  return server.on('checkContinue', (request, response) => {
    // Behind another answer Node would write it between the head and the body of this one, where the body is bytes. Without it, it hangs up after.
    if (response.socket) response.writeContinue();
    server.emit('request', request, response);
  });
}

function boundPipelining(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>();

  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket);
    if (known) return known;
    const connection: Connection = { socket, underWay: 0, held: [], isWatched: false };
    connections.set(socket, connection);
    return connection;
  };

  const begin = (connection: Connection, request: IncomingMessage, response: CountedResponse) => {
    connection.underWay++;
    response[connectionOfAnswer] = connection;
    response.on('close', endAnswer);
    handle(request, response);
  };

  return (request, response) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    if (connection.underWay < MAX_OF_CONNECTION) {
      begin(connection, request, response);
      return;
    }
    const { held } = connection;
    // Bound: it begins when another has ended, whose lane and trace are not its own.
    held.push(AsyncResource.bind(() => begin(connection, request, response)));
    socket.pause();
    if (!connection.isWatched) keepPaused(socket, connection);
  };
}

/** Node resumes a connection after each message that it has parsed, whoever paused it. */
function keepPaused(socket: Socket, connection: Connection): void {
  connection.isWatched = true;
  socket.on('resume', () => {
    if (connection.held.length > 0) socket.pause();
  });
}
