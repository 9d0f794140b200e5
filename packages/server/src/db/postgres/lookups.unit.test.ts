import { afterEach, expect, test, vi } from 'vitest';
import { sql } from '../sql.ts';
import { Lookups } from './lookups.ts';
import type { PacketClient } from './packet-client.ts';
import { StatementNames } from './statements.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Look-ups whose packets are answered when the test says so. */
class Server {
  /** How many look-ups each had, in the order of their sending. */
  readonly packets: number[] = [];
  readonly lookups: Lookups;
  readonly #answers: (() => void)[] = [];

  constructor(maxTogether = 4) {
    const query = (packet: {
      submit(connection: object): void;
      handleReadyForQuery(): void;
      handleCommandComplete(message: object): void;
    }) => {
      let executed = 0;
      packet.submit({
        stream: {
          writable: true,
          write: (bytes: Buffer) => {
            executed = bytes.toString('latin1').split('E\0\0\0\x09\0\0\0\0\0').length - 1;
          },
        },
      });
      this.packets.push(executed);
      this.#answers.push(() => {
        for (let n = 0; n < executed; n++) packet.handleCommandComplete({ rowCount: 0 });
        packet.handleReadyForQuery();
      });
    };
    const client = { query, prepared: new Map() } as unknown as PacketClient;
    this.lookups = new Lookups(
      (work) => work(client),
      new StatementNames(),
      maxTogether,
      () => false,
    );
  }

  find(count: number): Promise<unknown> {
    return Promise.all(Array.from({ length: count }, () => this.lookups.find(sql`select 1`)));
  }

  answer(): void {
    this.#answers.shift()?.();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('look-ups of a turn share a packet, and while two packets are under way the next one fills', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const server = new Server();
  const found = [server.find(2)];
  await turn();
  found.push(server.find(1));
  await turn();
  expect(server.packets).toEqual([2, 1]);
  found.push(server.find(1));
  await turn();
  found.push(server.find(2));
  await turn();
  expect(server.packets).toEqual([2, 1]);
  server.answer();
  await turn();
  expect(server.packets).toEqual([2, 1, 3]);
  server.answer();
  server.answer();
  await Promise.all(found);
});

test('a full packet does not wait for others', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const server = new Server();
  for (let n = 0; n < 2; n++) {
    void server.find(1);
    await turn();
  }
  void server.find(9);
  await turn();
  expect(server.packets).toEqual([1, 1, 4, 4]);
});

test('packets that are slow to be answered keep nobody for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const server = new Server();
  for (let n = 0; n < 3; n++) {
    void server.find(1);
    await turn();
  }
  expect(server.packets).toEqual([1, 1]);
  vi.advanceTimersByTime(2);
  expect(server.packets).toEqual([1, 1, 1]);
  void server.find(1);
  await turn();
  expect(server.packets).toEqual([1, 1, 1]);
  vi.advanceTimersByTime(2);
  expect(server.packets).toEqual([1, 1, 1, 1]);
});
