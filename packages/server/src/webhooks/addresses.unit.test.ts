import { describe, expect, test } from 'vitest';
import { AddressRules, hostOf } from './addresses.ts';

const strict = new AddressRules([]);

const refused = [
  // Unspecified, this network.
  '0.0.0.0',
  '0.1.2.3',
  // Private.
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  // Carrier-grade NAT.
  '100.64.0.1',
  '100.127.255.255',
  // Loopback.
  '127.0.0.1',
  '127.255.255.254',
  // Link-local, and the metadata of clouds.
  '169.254.0.1',
  '169.254.169.254',
  // Protocol assignments, documentation, benchmarks, relays of 6to4.
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  // Multicast, reserved, broadcast.
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  // IPv6: unspecified, loopback, IPv4 inside.
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0:127.0.0.1',
  '0:0:0:0:0:ffff:c0a8:0001',
  // Also where the IPv4 address inside is public: nobody needs that form.
  '::ffff:93.184.216.34',
  // Translated by NAT64, 6to4, Teredo.
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2001::1',
  '2001:0:53aa:64c:0:0:80ff:fffe',
  // Unique local, link-local, site-local, multicast, discard, documentation, benchmarks, ORCHID.
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '3fff::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '5f00::1',
  // No addresses.
  '',
  'example.com',
  '127.1',
  '0x7f000001',
];

const permitted = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.1',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '192.169.0.1',
  '198.17.255.255',
  '198.20.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '2001:4860:4860::8888',
];

describe('which addresses webhooks may be sent to', () => {
  test.each(refused)('%s is refused', (address) => expect(strict.permits(address)).toBe(false));
  test.each(permitted)('%s is permitted', (address) => expect(strict.permits(address)).toBe(true));
});

describe('networks that the operator allows', () => {
  const rules = new AddressRules(['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1']);
  test.each(['10.1.0.1', '10.1.255.255', 'fd00:1::5', '127.0.0.1', '::ffff:10.1.0.1', '8.8.8.8'])('%s is permitted', (address) =>
    expect(rules.permits(address)).toBe(true),
  );
  test.each(['10.2.0.1', '10.0.255.255', 'fd00:2::5', '127.0.0.2', '::1', '::ffff:10.2.0.1', '64:ff9b::10.1.0.1', '2002:a01:1::1'])(
    '%s is refused all the same',
    (address) => expect(rules.permits(address)).toBe(false),
  );
});

describe('addresses in a url', () => {
  test.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://127.0.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://0x7f.0.0.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://017700000001/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://１２７.０.０.１/', '127.0.0.1'],
    ['http://127。0。0。1/', '127.0.0.1'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['http://3232235777/', '192.168.1.1'],
    ['http://[::1]/', '::1'],
    ['http://[0:0:0:0:0:0:0:1]/', '::1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://[::ffff:7f00:1]:8080/x', '::ffff:7f00:1'],
    ['https://[fd00::1]/', 'fd00::1'],
    ['http://169.254.169.254/latest/meta-data/', '169.254.169.254'],
  ])('%s leads to %s, and is refused', (url, host) => {
    expect(hostOf(url)).toBe(host);
    expect(strict.refusesUrl(url)).toBe(true);
  });

  test.each(['http://localhost/', 'http://LOCALHOST:8080/', 'http://localhost./', 'https://api.localhost/x'])('%s is refused', (url) =>
    expect(strict.refusesUrl(url)).toBe(true),
  );

  test.each(['https://example.com/hook', 'http://1.1.1.1/', 'http://[2606:4700:4700::1111]/', 'https://localhost.example.com/'])(
    '%s is not refused by itself',
    (url) => expect(strict.refusesUrl(url)).toBe(false),
  );

  test('localhost is for who allows it', () => {
    expect(new AddressRules(['127.0.0.0/8']).refusesUrl('http://localhost:9/')).toBe(false);
  });
});
