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
const slow = (index: number) => `/agents/01a1e013-ce64-72d9-af2a-d6003556${2000 + index}?limit=${index}`;

test('a route that computes for too long fails its test, after the first requests, the second time or far above the limit', async () => {
  for (let index = 0; index < 20; index++) await request(slow(index), index === 0 ? 250 : 0);
  expect(await request('/quick', 10)).toBe(10);
  expect(await request(slow(1), 250)).toBe(250);
  expect(await request('/other', 250)).toBe(250);
  await expect(request(slow(2), 250)).rejects.toThrow(/^GET \/agents\/\S+ took 2\d\d ms of the main thread/);
  expect(await Promise.all([1, 2].map(() => request('/both', 250)))).toEqual([250, 250]);
  await expect(request(slow(3), 250)).rejects.toThrow('GET /agents');
  await expect(request('/endless', 1_050)).rejects.toThrow('GET /endless');
});
