import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { NO_POSTGRES, postgresSources } from './packages/server/test/postgres-server.ts';
import { LongestFirst } from './scripts/test-order.ts';
import { TestProgress } from './scripts/test-progress.ts';

const [postgres] = postgresSources();
const report = process.env.TEST_REPORT;
if (!postgres && process.env.CI) throw new Error(`Tests: ${NO_POSTGRES}`);

/** Each file, and each service that a test starts, is a process of its own: what one has compiled the next ones take. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** For what hangs, not for what is slow: no test may depend on how busy the machine is. */
const limits = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 300_000 } } };
const neighbours = 'packages/server/test/neighbours.test.ts';
/** Flows through the dashboard; what is about the browser alone is in once/. */
const dashboard = 'packages/dashboard/test/*.test.ts';
/** Those of them whose pages count, search or wait for work on the engine. Of the others it knows only what the API says, which is tested on both. */
const dashboardOnEachEngine = ['example-data', 'overview', 'search', 'stopped', 'work'].map(
  (name) => `packages/dashboard/test/${name}.test.ts`,
);
/** Run by `npm run test:citus`. */
const citus = 'packages/server/test/citus/**';
const api = ['packages/server/src/**/*.test.ts', neighbours];

/** Node imports the modules of tests itself, in half of the time; Vite does it for tests that put others in their place, and for JSX. */
const native = { experimental: { viteModuleRunner: false, nodeLoader: false } };
const components = 'packages/dashboard/src/**/*.test.ts';
const replacing = globSync('packages/*/{src,test}/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes('vi.mock('));

interface Tests {
  readonly name: string;
  readonly include: string[];
  readonly exclude: string[];
  readonly provide?: { readonly engine: 'sqlite' | 'postgres' };
  /** Of those that are included, what Vite imports. */
  readonly transformed: string[];
}

function projectsOf({ name, include, exclude, transformed, ...rest }: Tests) {
  return [
    { test: { ...limits, ...rest, ...native, name, include, exclude: [...exclude, ...transformed] } },
    { test: { ...limits, ...rest, name: `${name} by Vite`, include: transformed, exclude: [] } },
  ];
}

const exclude = ['**/node_modules/**', '**/*.unit.test.ts'];
const replacingInApi = replacing.filter((file) => file.startsWith('packages/server/src/') && !file.endsWith('.unit.test.ts'));
const onEngine = { exclude, transformed: replacingInApi };
const embedded = projectsOf({ ...onEngine, name: 'embedded', include: [...api, dashboard], provide: { engine: 'sqlite' } });
const onPostgres = projectsOf({
  ...onEngine,
  name: 'postgres',
  include: [...api, ...dashboardOnEachEngine],
  provide: { engine: 'postgres' },
});
const withoutEngine = postgres ? [] : ['packages/server/src/db/postgres/**'];
const once = projectsOf({
  name: 'once',
  include: ['packages/*/test/**/*.test.ts', 'packages/!(server)/src/**/*.test.ts', 'deploy/test/*.test.ts'],
  exclude: ['**/node_modules/**', '**/*.unit.test.ts', neighbours, dashboard, citus, ...withoutEngine],
  transformed: [components, ...replacing.filter((file) => !replacingInApi.includes(file))],
});
/** They leave nothing behind, and share a process: most of them take less than it takes to start one. */
const unit = {
  test: {
    ...limits,
    ...native,
    name: 'unit',
    include: ['packages/*/src/**/*.unit.test.ts', 'bench/**/*.unit.test.ts'],
    exclude: ['**/node_modules/**', ...replacing, ...withoutEngine],
    isolate: false,
  },
};

export default defineConfig({
  test: {
    // Two more than the cores of the smallest machine: tests wait for servers, browsers and clocks for a third of their time and more.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['./packages/server/test/global-setup.ts'],
    reporters: [
      new TestProgress(postgres ? `from ${postgres.name}` : `left out; ${NO_POSTGRES}`),
      ...(report ? [['json', { outputFile: report }] as ['json', { outputFile: string }]] : []),
    ],
    projects: [...embedded, ...(postgres ? onPostgres : []), ...once, unit],
  },
});
