import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { AppError } from '../errors.ts';
import { type InFlightRequest, RequestsInFlight } from './in-flight.ts';

function entering(registry: RequestsInFlight) {
  const begun: string[] = [];
  const enter = (name: string, caller = 'ann', bodyBytes = 0): InFlightRequest =>
    registry.enter({ caller, route: `GET /${name}`, bodyBytes, places: 1, begin: () => void begun.push(name) });
  return { begun, enter };
}

test('a caller has so many at once; the others begin in their order, as places become free', () => {
  const registry = new RequestsInFlight({ maxOfCaller: 2 });
  const { begun, enter } = entering(registry);
  const requests = ['a', 'b', 'c', 'd'].map((name) => enter(name));
  expect(begun).toEqual(['a', 'b']);
  expect(registry.gauges()).toEqual({ in_flight: 2, waiting: 2, callers: 1 });
  requests[1]?.close();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const request of requests.reverse()) request.close();
  expect(begun).toEqual(['a', 'b', 'c']);
  expect(registry.gauges()).toEqual({ in_flight: 0, waiting: 0, callers: 0 });
});

test('another caller does not wait for it', () => {
  const { begun, enter } = entering(new RequestsInFlight({ maxOfCaller: 1 }));
  enter('a');
  enter('b');
  enter('c', 'bob');
  expect(begun).toEqual(['a', 'c']);
});

test('more than may wait are refused, with a time to come back', () => {
  const registry = new RequestsInFlight({ maxOfCaller: 1, maxWaitingOfCaller: 1 });
  const { enter } = entering(registry);
  const first = enter('a');
  enter('b');
  expect(() => enter('c')).toThrow(expect.objectContaining({ code: 'too_many_requests', retryAfterSeconds: 1 }) as AppError);
  expect(registry.refusedTotal).toBe(1);
  first.close();
  enter('d');
  expect(registry.gauges()).toMatchObject({ in_flight: 1, waiting: 1 });
});

test('a place is free when the answer is out and the handler has ended, in whichever order', () => {
  const { begun, enter } = entering(new RequestsInFlight({ maxOfCaller: 1 }));
  const hungUp = enter('a');
  const answered = enter('b');
  enter('c');
  hungUp.startHandling();
  hungUp.close();
  expect(begun).toEqual(['a']);
  hungUp.endHandling();
  expect(begun).toEqual(['a', 'b']);
  answered.startHandling();
  answered.endHandling();
  expect(begun).toEqual(['a', 'b']);
  answered.close();
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('the bodies of a caller have a limit together, and one alone may be larger', () => {
  const { begun, enter } = entering(new RequestsInFlight({ maxBodyBytesOfCaller: 100 }));
  const large = enter('large', 'ann', 500);
  const small = enter('small', 'ann', 60);
  enter('read');
  enter('other', 'bob', 60);
  expect(begun).toEqual(['large', 'other']);
  large.close();
  expect(begun).toEqual(['large', 'other', 'small', 'read']);
  enter('second', 'ann', 60);
  expect(begun).not.toContain('second');
  small.close();
  expect(begun).toContain('second');
});

test('who had to wait begins in its own context, not in that of whoever left', () => {
  const context = new AsyncLocalStorage<string>();
  const registry = new RequestsInFlight({ maxOfCaller: 1 });
  const seen: (string | undefined)[] = [];
  const enter = () =>
    registry.enter({ caller: 'ann', route: '', bodyBytes: 0, places: 1, begin: () => void seen.push(context.getStore()) });
  const first = context.run('first', enter);
  context.run('second', enter);
  context.run('first', () => first.close());
  expect(seen).toEqual(['first', 'second']);
});

test('what held the event loop longest is named first, each route once and five at most', () => {
  const registry = new RequestsInFlight();
  const { enter } = entering(registry);
  const nowMs = performance.now();
  for (const [index, name] of ['a', 'b', 'c', 'd', 'e', 'f', 'a'].entries()) enter(name).noteSection(nowMs - 100 * (index + 1));
  enter('short').noteSection(performance.now());
  const routes = registry.routesAtWork(nowMs);
  expect(routes.map(({ route }) => route)).toEqual(['GET /a', 'GET /f', 'GET /e', 'GET /d', 'GET /c']);
  expect(routes[0]?.ms).toBeGreaterThanOrEqual(700);
});

test('where nothing held it for long, those in flight are named; what ended before is not', () => {
  const registry = new RequestsInFlight();
  const { enter } = entering(registry);
  enter('before').noteSection(performance.now() - 100);
  enter('gone').close();
  enter('a');
  enter('a');
  expect(registry.routesAtWork(performance.now() + 1)).toEqual([{ route: 'GET /before' }, { route: 'GET /a' }]);
});

test('what can have a large answer takes several places, and one alone is always let in', () => {
  const registry = new RequestsInFlight({ maxOfCaller: 16 });
  const begun: number[] = [];
  const enter = (places: number) =>
    registry.enter({ caller: 'ann', route: 'GET /pages', bodyBytes: 0, places, begin: () => void begun.push(places) });
  const first = enter(8);
  enter(8);
  enter(8);
  expect(begun).toEqual([8, 8]);
  first.close();
  expect(begun).toEqual([8, 8, 8]);
  const alone = new RequestsInFlight({ maxOfCaller: 4 });
  alone.enter({ caller: 'ann', route: 'GET /pages', bodyBytes: 0, places: 8, begin: () => void begun.push(0) });
  expect(begun.at(-1)).toBe(0);
});
