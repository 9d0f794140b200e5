import { expect, test } from 'vitest';
import { addressBucket } from './addresses.ts';

test('each IPv4 address is a bucket of its own', () => {
  expect(addressBucket('192.0.2.1')).toBe('192.0.2.1');
  expect(addressBucket('192.0.2.1')).not.toBe(addressBucket('192.0.2.2'));
});

test.each(['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0DB8:0001:0002:0:0:0:9', '2001:db8:1:2:3::192.0.2.1'])(
  '%s is of the network 2001:db8:1:2::/64',
  (address) => {
    expect(addressBucket(address)).toBe('2001:db8:1:2::/64');
  },
);

test.each([
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1::', '1:0:0:0::/64'],
])('%s is of the network %s', (address, network) => {
  expect(addressBucket(address)).toBe(network);
});

test.each(['::ffff:192.0.2.1', '::ffff:c000:201', '::FFFF:C000:0201', '0:0:0:0:0:ffff:192.0.2.1'])(
  '%s is the IPv4 address that it carries',
  (address) => {
    expect(addressBucket(address)).toBe('192.0.2.1');
  },
);

test('what is no address is its own bucket', () => {
  expect(addressBucket('unknown')).toBe('unknown');
  expect(addressBucket('a:b')).toBe('a:b');
  expect(addressBucket('')).toBe('');
});
