/**
 * `npm run bench`: all suites; `npm run bench -- http`: the named ones; `--rounds 5 --seconds 10` for more certainty.
 * Talks to 127.0.0.1 only, and cleans up after itself.
 */
import { parseArgs } from 'node:util';
import { runContext } from './context.ts';
import { runDashboard } from './dashboard.ts';
import { runFastPass } from './fast-pass.ts';
import { type Effort, runHttp } from './http.ts';
import { runMemory } from './memory.ts';
import { runMessages } from './messages.ts';
import { runNeighbours } from './neighbours.ts';
import { runIndexing, runSearch } from './search.ts';
import { runStart } from './start.ts';
import { machineLine } from './table.ts';

const suites: Readonly<Record<string, (effort: Effort) => Promise<void>>> = {
  start: runStart,
  http: (effort) => runHttp(effort, 'keys'),
  agents: (effort) => runHttp(effort, 'agents'),
  messages: runMessages,
  memory: runMemory,
  search: () => runSearch({ data: values.data }),
  context: () => runContext({ data: values.data }),
  'fast-pass': runFastPass,
  indexing: runIndexing,
  neighbours: runNeighbours,
  dashboard: runDashboard,
};

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '5' }, data: { type: 'string' } },
});
const unknown = names.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  console.error(`No such suite: ${unknown.join(', ')}. There is: ${Object.keys(suites).join(', ')}.`);
  process.exit(2);
}
console.log(machineLine());
const effort = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
for (const [name, run] of Object.entries(suites)) if (names.length === 0 || names.includes(name)) await run(effort);
