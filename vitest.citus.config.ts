import { defineConfig } from 'vitest/config';
import { TestProgress } from './scripts/test-progress.ts';

/** For what hangs, not for what is slow. */
const limits = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 300_000 } } };
const report = process.env.TEST_REPORT;

/** The tests of the API that run on PostgreSQL, on a coordinator of Citus, and those that are about Citus alone. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ['./packages/server/test/citus/global-setup.ts'],
    reporters: [new TestProgress('with Citus'), ...(report ? [['json', { outputFile: report }] as ['json', { outputFile: string }]] : [])],
    projects: [
      {
        test: {
          ...limits,
          name: 'citus',
          include: ['packages/server/src/**/*.test.ts', 'packages/server/test/citus/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.unit.test.ts'],
          provide: { engine: 'postgres' as const },
        },
      },
    ],
  },
});
