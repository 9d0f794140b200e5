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

const request = (path: string, ms: number) => withinProcessorTime(`GET ${path}`, () => compute(ms));

test('a request that computes for too long fails its test, after the first requests and where it was alone', async () => {
  for (let index = 0; index < 6; index++) await request('/warm', index === 0 ? 2_100 : 0);
  expect(await request('/quick', 300)).toBe(300);
  await expect(request('/endless', 2_100)).rejects.toThrow(/^GET \/endless took 2\d\d\d ms of the main thread/);
  expect(await Promise.all([1, 2].map(() => request('/both', 2_100)))).toEqual([2_100, 2_100]);
});
