/**
 * `npm run bench`: all suites; `npm run bench -- http`: the named ones; `--rounds 5 --seconds 10` for more certainty.
 * `npm run bench -- faults failover`: what several nodes survive, by name only; `--minutes 5 --every 20 --database postgres://…`.
 * `npm run bench -- webhooks`: events to a receiver that fails and hangs, while the service is killed; `--items 10000` of them, by name only.
 * `npm run bench -- scale`: scopes of a million items, by name only; `--items 100000` for less.
 * `npm run bench -- compare`: the same work for this service and for others, by name only. They are installed by `-- compare --install`, into
 * node_modules/.cache; what is not there is left out and named. Python is needed for some of them, and for nothing else.
 * `npm run bench -- learning`: what counts in ranking, by name only; `--molweni test.json` for more to learn from, `--write` to keep it.
 * Talks to 127.0.0.1 only, and cleans up after itself.
 */
import { parseArgs } from 'node:util';
import { runBackup } from './backup.ts';
import { runCompare } from './compare/main.ts';
import { runContext } from './context.ts';
import { runDashboard } from './dashboard.ts';
import { runEvents } from './events.ts';
import { runFastPass } from './fast-pass.ts';
import { runFailoverSuite, runFaultsSuite } from './faults/main.ts';
import { MOST_EVENTS, runWebhooksSuite } from './faults/webhooks-suite.ts';
import { runGate } from './gate.ts';
import { runHttp } from './http.ts';
import { runIndexing } from './indexing.ts';
import { runLanguages } from './languages.ts';
import { runLearning } from './learning.ts';
import { runMemory } from './memory.ts';
import { runMessages } from './messages.ts';
import { runNeighbours } from './neighbours.ts';
import type { Effort } from './rounds.ts';
import { runScale } from './scale.ts';
import { runSearch } from './search.ts';
import { runStart } from './start.ts';
import { machineLine } from './table.ts';

const suites: Readonly<Record<string, (effort: Effort) => Promise<void>>> = {
  start: runStart,
  http: (effort) => runHttp(effort, 'keys'),
  agents: (effort) => runHttp(effort, 'agents'),
  messages: runMessages,
  memory: runMemory,
  events: runEvents,
  search: (effort) => runSearch({ data: values.data }, effort),
  context: () => runContext({ data: values.data }),
  'fast-pass': runFastPass,
  languages: runLanguages,
  indexing: runIndexing,
  neighbours: runNeighbours,
  backup: runBackup,
  dashboard: runDashboard,
};

/** Takes many minutes, or looks for faults: run only when it is named. */
const byNameOnly: typeof suites = {
  scale: () => runScale({ items: Number(values.items) }),
  faults: () => runFaultsSuite(faultEffort()),
  failover: () => runFailoverSuite(faultEffort()),
  webhooks: () => runWebhooksSuite({ events: Math.min(Number(values.items), MOST_EVENTS), seed: Number(values.seed) }),
  learning: () => runLearning({ data: values.data, molweni: values.molweni, isWritten: values.write }),
  gate: () => runGate({ isWritten: values.write }),
  compare: (given) => runCompare({ ...given, install: values.install }),
};

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    data: { type: 'string' },
    minutes: { type: 'string', default: '5' },
    every: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string' },
    items: { type: 'string', default: '1000000' },
    install: { type: 'boolean', default: false },
    molweni: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const all = { ...suites, ...byNameOnly };
const unknown = names.filter((name) => !Object.hasOwn(all, name));
if (unknown.length > 0) {
  console.error(`No such suite: ${unknown.join(', ')}. There is: ${Object.keys(all).join(', ')}.`);
  process.exit(2);
}
// What runs and what is on disk goes at exit.
for (const [signal, number] of Object.entries({ SIGINT: 2, SIGTERM: 15, SIGHUP: 1 }))
  process.once(signal, () => process.exit(128 + number));
console.log(machineLine());
const effort = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
const chosen = names.length === 0 ? Object.keys(suites) : Object.keys(all).filter((name) => names.includes(name));
for (const name of chosen) await all[name]?.(effort);

function faultEffort() {
  return { minutes: Number(values.minutes), everySeconds: Number(values.every), seed: Number(values.seed), databaseUrl: values.database };
}
