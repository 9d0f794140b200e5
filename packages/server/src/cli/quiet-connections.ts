/** Connections that ask nothing. Browsers open them ahead; a server that closes would wait a minute for each. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const EVERY_MS = 50;

/** Watches a server from its start. Call the answer when it is to close: it ends what is quiet, now and as answers go out. */
export function letGoOfQuiet(server: Server): () => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () => {
    const look = setInterval(() => {
      server.closeIdleConnections();
      // To Node, one that has not sent a byte yet is about to, and so not idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, EVERY_MS);
    server.once('close', () => clearInterval(look));
  };
}
