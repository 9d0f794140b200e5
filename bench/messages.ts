/** The suite `messages`: written one by one and in batches, read, listed; and pages deep in a session of a million. */
import { join } from 'node:path';
import type { Message } from '@commonplace/contract/messages';
import type { Samples } from './bare-server.ts';
import { cpuSecondsOf } from './cpu.ts';
import { measureDeepPages } from './deep-pages.ts';
import type { EngineWork } from './engine-messages.ts';
import type { Load } from './load.ts';
import { CONNECTIONS, type Measure } from './measure.ts';
import { BATCH, many, message, NO_EMBEDDER, newSessions, type Operation, one, operations } from './message-work.ts';
import type { Way } from './plain.ts';
import { openPostgresServer } from './postgres.ts';
import { Processes } from './processes.ts';
import { type Aim, reportRates, reportRatios } from './rates.ts';
import { type Case, type Effort, type Generator, loadCase, measureSides, type Side } from './rounds.ts';
import { call, type Service, startService } from './service.ts';
import { temporaryFolder } from './temporary-folder.ts';

export async function runMessages(effort: Effort): Promise<void> {
  await using processes = new Processes();
  await using folder = await temporaryFolder();
  await using postgres = await openPostgresServer();
  const generator = await processes.helper<Load, Measure>('load.ts');
  let count = 0;
  const newFolder = async () => join(folder.path, String(count++));
  const onSqlite = async () => ({ COMMONPLACE_DATA_DIR: await newFolder() });
  const silent = async () => ({ ...NO_EMBEDDER, COMMONPLACE_DATA_DIR: await newFolder() });
  const sides = [
    bareSide(generator),
    serviceSide(generator, 'embedded', onSqlite),
    serviceSide(generator, 'embedded, no indexing', silent, ['one by one', 'in batches']),
    serviceSide(generator, 'embedded, no events', async () => ({ ...(await onSqlite()), ...NO_EVENTS }), ['one by one', 'in batches']),
    engineSide('embedded engine alone', 'ours', newFolder),
  ];
  if (postgres) {
    const newDatabase = () => postgres.newDatabase();
    sides.push(
      serviceSide(generator, 'PostgreSQL', async () => ({ COMMONPLACE_DATABASE_URL: await newDatabase() })),
      serviceSide(generator, 'PostgreSQL, no events', async () => ({ COMMONPLACE_DATABASE_URL: await newDatabase(), ...NO_EVENTS }), [
        'one by one',
        'in batches',
      ]),
      engineSide('PostgreSQL, plain', 'plain', newDatabase, ['one by one', 'read by id', 'in batches']),
      engineSide('PostgreSQL engine alone', 'ours', newDatabase),
    );
  }
  const rounds = await measureSides(sides, effort);
  reportRates(`messages: ${CONNECTIONS} callers at once, median of ${effort.rounds} interleaved rounds of ${effort.seconds} s`, rounds);
  reportRatios(rounds, aims);

  await using running = new Processes();
  await measureDeepPages(generator, 'embedded', await startService(running, await silent()));
  if (!postgres) return;
  const environment = { COMMONPLACE_DATABASE_URL: await postgres.newDatabase(), ...NO_EMBEDDER };
  await measureDeepPages(generator, 'PostgreSQL', await startService(running, environment));
}

const NO_EVENTS = { COMMONPLACE_EVENT_DAYS: '0' };

const aims: readonly Aim[] = [
  { of: 'embedded, one by one', to: 'bare Fastify, one by one', aim: 0.4 },
  { of: 'embedded, read by id', to: 'bare Fastify, read by id', aim: 0.5 },
  { of: 'embedded, a page of 50', aim: 4_000 },
  { of: rowName('embedded', 'in batches'), aim: 80_000 },
  { of: 'embedded, one by one', to: 'embedded, no indexing, one by one', aim: 0.9 },
  { of: rowName('embedded', 'in batches'), to: rowName('embedded, no indexing', 'in batches'), aim: 0.9 },
  { of: 'embedded, one by one', to: 'embedded, no events, one by one', aim: 0.9 },
  { of: rowName('embedded', 'in batches'), to: rowName('embedded, no events', 'in batches'), aim: 0.9 },
  { of: 'embedded, all into one session', to: 'embedded, one by one' },
  { of: 'PostgreSQL, one by one', to: 'PostgreSQL, plain, one by one', aim: 0.7 },
  { of: 'PostgreSQL, read by id', to: 'PostgreSQL, plain, read by id', aim: 0.7 },
  { of: rowName('PostgreSQL', 'in batches'), to: rowName('PostgreSQL, plain', 'in batches'), aim: 0.7 },
  { of: 'PostgreSQL, one by one', to: 'PostgreSQL, no events, one by one', aim: 0.9 },
  { of: rowName('PostgreSQL', 'in batches'), to: rowName('PostgreSQL, no events', 'in batches'), aim: 0.9 },
  { of: 'PostgreSQL, all into one session', to: 'PostgreSQL, one by one' },
];

function rowName(side: string, operation: Operation): string {
  return operation === 'in batches' ? `${side}, in batches of ${BATCH}, messages` : `${side}, ${operation}`;
}

function each(operation: Operation): number {
  return operation === 'in batches' ? BATCH : 1;
}

/** An answer of the service, as a sample. */
const sample: Message = {
  id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c40',
  sessionId: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c30',
  ...message,
  meta: {},
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

function bareSide(generator: Generator): Side {
  const collectionPath = '/api/v1/workspaces/:workspaceId/agents/:agentId/sessions/:sessionId/messages';
  const samples: Samples = { itemPath: `${collectionPath}/:messageId`, collectionPath, item: sample, created: sample };
  const messages = collectionPath.replaceAll(/:\w+/g, sample.sessionId);
  return {
    open: async (processes) => {
      const bare = await processes.helper<Samples, string>('bare-server.ts');
      const server = { url: await bare.ask(samples), apiKey: 'none', pid: bare.pid };
      return [
        loadCase(generator, 'bare Fastify, one by one', server, [{ method: 'POST', path: messages, body: one }]),
        loadCase(generator, 'bare Fastify, read by id', server, [{ method: 'GET', path: `${messages}/${sample.id}` }]),
      ];
    },
  };
}

function serviceSide(
  generator: Generator,
  name: string,
  environment: () => Promise<Readonly<Record<string, string>>>,
  measured: readonly Operation[] = operations,
): Side {
  return {
    open: async (processes) => {
      const service = await startService(processes, await environment());
      const requests = await requestsTo(service);
      return measured.map((operation) => loadCase(generator, rowName(name, operation), service, requests[operation], each(operation)));
    },
  };
}

/** Each caller writes to a session of its own, but for those who are to meet in one. */
async function requestsTo(service: Service): Promise<Record<Operation, Load['requests']>> {
  const sessions = await newSessions(service, CONNECTIONS);
  const [shared] = sessions as [string];
  const { id } = await call<{ id: string }>(service, 'POST', shared, message);
  return {
    'one by one': sessions.map((path) => ({ method: 'POST', path, body: one })),
    'all into one session': [{ method: 'POST', path: shared, body: one }],
    'read by id': [{ method: 'GET', path: `${shared}/${id}` }],
    'a page of 50': [{ method: 'GET', path: shared }],
    'in batches': sessions.map((path) => ({ method: 'POST', path: `${path}/batch`, body: many })),
  };
}

/** The same statements without HTTP. */
function engineSide(name: string, way: Way, place: () => Promise<string>, measured: readonly Operation[] = operations): Side {
  return {
    open: async (processes) => {
      const engine = await processes.helper<EngineWork, Measure>('engine-messages.ts', way, await place());
      return measured.map(
        (operation): Case => ({
          name: rowName(name, operation),
          each: each(operation),
          cpuSeconds: () => cpuSecondsOf(engine.pid),
          run: (seconds) => engine.ask({ operation, seconds }),
        }),
      );
    },
  };
}
