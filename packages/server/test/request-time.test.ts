import { expect, test } from 'vitest';
import { withinProcessorTime } from './request-time.ts';

const processorMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

async function compute(ms: number): Promise<number> {
  const untilMs = processorMs() + ms;
  while (processorMs() < untilMs);
  return ms;
}

test('a request that computes for too long fails its test, after the first ones', async () => {
  for (let index = 0; index < 20; index++) await withinProcessorTime('GET /slow', () => compute(index === 0 ? 250 : 0));
  expect(await withinProcessorTime('GET /quick', () => compute(10))).toBe(10);
  await expect(withinProcessorTime('GET /slow', () => compute(250))).rejects.toThrow(/^GET \/slow took 2\d\d ms of the main thread/);
  expect(await Promise.all([1, 2].map(() => withinProcessorTime('GET /both', () => compute(250))))).toEqual([250, 250]);
  await expect(withinProcessorTime('GET /slow', () => compute(250))).rejects.toThrow('GET /slow');
});
