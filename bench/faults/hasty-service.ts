/** The service with webhooks that wait for nothing long: what takes days otherwise takes seconds. */
import { webhookTimes } from '../../packages/server/src/webhooks/rules.ts';

const RETRIES = 20;

Object.assign(webhookTimes, { timeLimitMs: 1_000, leaseMs: 1_500, retryDelaysMs: Array(RETRIES).fill(100) });

const { runCommandLine } = await import('../../packages/server/src/cli/run.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
process.stdout.write('', () => process.exit());
