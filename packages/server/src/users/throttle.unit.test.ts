import { expect, test } from 'vitest';
import { addressBucket } from '../http/addresses.ts';
import { SignInThrottle } from './throttle.ts';

const TOO_MANY = 'Too many failed attempts. Try again later.';

function newThrottle() {
  let nowMs = 0;
  const throttle = new SignInThrottle({ monotonicMs: () => nowMs });
  const known = new Set<string>();
  const attempt = (email: string, ip: string, result: true | undefined) => {
    const address = addressBucket(ip);
    const isKnownPlace = async () => known.has(`${email} ${address}`);
    return throttle.attempt({ email, address, place: address, isKnownPlace }, async () => result);
  };
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { throttle, known, attempt, advance };
}

test('after ten failures at one account an address waits; the account is open to others', async () => {
  const { attempt, advance } = newThrottle();
  for (let count = 0; count < 10; count++) expect(await attempt('ada', '192.0.2.1', undefined)).toBeUndefined();
  await expect(attempt('ada', '192.0.2.1', true)).rejects.toThrow(TOO_MANY);
  expect(await attempt('ada', '192.0.2.2', true)).toBe(true);
  expect(await attempt('grace', '192.0.2.1', true)).toBe(true);
  advance(30_000);
  expect(await attempt('ada', '192.0.2.1', true)).toBe(true);
});

test('the addresses of one IPv6 network are one place', async () => {
  const { attempt } = newThrottle();
  for (let count = 0; count < 10; count++) expect(await attempt('ada', `2001:db8:1:2::${count}`, undefined)).toBeUndefined();
  await expect(attempt('ada', '2001:db8:1:2:ffff::1', true)).rejects.toThrow(TOO_MANY);
  expect(await attempt('ada', '2001:db8:1:3::1', true)).toBe(true);
});

test('after sixty failures an address is closed, whatever the account; other addresses are not', async () => {
  const { attempt } = newThrottle();
  for (let count = 0; count < 60; count++) expect(await attempt(`account ${count}`, '192.0.2.1', undefined)).toBeUndefined();
  await expect(attempt('ada', '192.0.2.1', true)).rejects.toThrow(TOO_MANY);
  expect(await attempt('ada', '192.0.2.2', true)).toBe(true);
});

test('guesses from many places are limited together, and keep nobody out who signed in from theirs before', async () => {
  const { attempt, known, advance } = newThrottle();
  known.add('ada 198.51.100.7');
  const tried = async () => {
    let count = 0;
    for (let place = 0; place < 200; place++) {
      const [answer] = await Promise.allSettled([attempt('ada', `2001:db8:0:${place}::1`, undefined)]);
      if (answer.status === 'fulfilled') count++;
    }
    return count;
  };
  expect(await tried()).toBe(100);
  await expect(attempt('ada', '203.0.113.1', true)).rejects.toThrow(TOO_MANY);
  for (let round = 0; round < 20; round++) expect(await attempt('ada', '198.51.100.7', true)).toBe(true);
  // There too, ten failures are enough.
  for (let count = 0; count < 10; count++) expect(await attempt('ada', '198.51.100.7', undefined)).toBeUndefined();
  await expect(attempt('ada', '198.51.100.7', true)).rejects.toThrow(TOO_MANY);
  advance(60_000);
  expect(await tried()).toBe(1);
});

test('an account that is not there is limited like one that is', async () => {
  const { attempt, known } = newThrottle();
  known.add('there 198.51.100.7');
  const outcomes = async (email: string) => {
    const statuses: string[] = [];
    for (let place = 0; place < 120; place++) {
      for (const _ of [1, 2]) statuses.push((await Promise.allSettled([attempt(email, `10.0.${place}.1`, undefined)]))[0].status);
    }
    return statuses;
  };
  expect(await outcomes('missing')).toEqual(await outcomes('there'));
});

test('of many guesses at once no more are tried than one after the other', async () => {
  const { attempt } = newThrottle();
  const answers = await Promise.allSettled(Array.from({ length: 300 }, (_, place) => attempt('ada', `10.1.${place % 150}.1`, undefined)));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
});

test('an address makes 200 accounts at once and then one a second', () => {
  const { throttle, advance } = newThrottle();
  for (let count = 0; count < 200; count++) throttle.requireMayRegister('192.0.2.1');
  const refused = () => throttle.requireMayRegister('192.0.2.1');
  expect(refused).toThrow('Too many accounts from this address. Try again later.');
  throttle.requireMayRegister('192.0.2.2');
  advance(1_000);
  expect(refused).not.toThrow();
  expect(refused).toThrow('Too many accounts');
});

test('an attempt that neither fails nor succeeds does not count', async () => {
  const { throttle, attempt } = newThrottle();
  const place = { email: 'ada', address: '192.0.2.1', place: '192.0.2.1', isKnownPlace: async () => false };
  const broken = () => throttle.attempt(place, () => Promise.reject(new Error('the database is away')));
  for (let count = 0; count < 200; count++) await expect(broken()).rejects.toThrow('the database is away');
  expect(await attempt('ada', '192.0.2.1', true)).toBe(true);
});
