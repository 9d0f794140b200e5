import { defineConfig } from 'vitest/config';
import { NO_POSTGRES, postgresSources } from './packages/server/test/postgres-server.ts';

const hasPostgres = postgresSources().length > 0;
if (!hasPostgres) {
  if (process.env.CI) throw new Error(`Tests: ${NO_POSTGRES}`);
  console.warn(`Tests: those on PostgreSQL are left out: ${NO_POSTGRES}`);
}

const limits = { testTimeout: 20_000, hookTimeout: 60_000 };
const onEachEngine = { include: ['packages/server/src/**/*.test.ts'], exclude: ['**/node_modules/**', '**/*.unit.test.ts'] };

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ['./packages/server/test/global-setup.ts'],
    projects: [
      { test: { ...limits, ...onEachEngine, name: 'embedded', provide: { engine: 'sqlite' } } },
      ...(hasPostgres ? [{ test: { ...limits, ...onEachEngine, name: 'postgres', provide: { engine: 'postgres' as const } } }] : []),
      {
        test: {
          ...limits,
          name: 'once',
          include: ['packages/*/src/**/*.unit.test.ts', 'packages/*/test/**/*.test.ts', 'packages/!(server)/src/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...(hasPostgres ? [] : ['packages/server/src/db/postgres/**'])],
        },
      },
    ],
  },
});
