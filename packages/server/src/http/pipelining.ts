/** Requests that one connection sends without waiting for answers: so many are worked on, the others wait, and no more is read meanwhile. */
import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Not imported: that would read each of its exports, and one of them loads a whole HTTP client of 14 MB. */
const { createServer } = process.getBuiltinModule('node:http');

export const MAX_OF_CONNECTION = 32;

interface Connection {
  underWay: number;
  /** What was parsed already when the connection was paused: what fits into one read of it. */
  readonly held: (() => void)[];
  isWatched: boolean;
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
    const connection: Connection = { underWay: 0, held: [], isWatched: false };
    connections.set(socket, connection);
    return connection;
  };

  const begin = (socket: Socket, connection: Connection, request: IncomingMessage, response: ServerResponse) => {
    connection.underWay++;
    response.once('close', () => {
      connection.underWay--;
      goOn(socket, connection);
    });
    handle(request, response);
  };

  const goOn = (socket: Socket, connection: Connection) => {
    // Whoever hung up waits for nothing.
    if (socket.destroyed) connection.held.length = 0;
    const next = connection.held.shift();
    if (!next) return;
    next();
    if (connection.held.length === 0) socket.resume();
  };

  return (request, response) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    if (connection.underWay < MAX_OF_CONNECTION) {
      begin(socket, connection, request, response);
      return;
    }
    const { held } = connection;
    // Bound: it begins when another has ended, whose lane and trace are not its own.
    held.push(AsyncResource.bind(() => begin(socket, connection, request, response)));
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
