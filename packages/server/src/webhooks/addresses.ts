/** Which addresses webhooks may be sent to: those of the public internet, and private ones that the operator allows. */
import { BlockList, isIP } from 'node:net';
import { networksOf } from '../setting-values.ts';

/** IPv4 that is not of the public internet. */
const PRIVATE_IPV4 = [
  ['0.0.0.0', 8], // this network, unspecified
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, and the metadata of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

/** Within the one block of IPv6 that is public. */
const PRIVATE_IPV6 = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which holds an IPv4 address
  ['3fff::', 20], // documentation
] as const;

const privateAddresses = new BlockList();
for (const [network, bits] of PRIVATE_IPV4) privateAddresses.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of PRIVATE_IPV6) privateAddresses.addSubnet(network, bits, 'ipv6');

/** All else is loopback, link-local, unique local, multicast, translated or mapped IPv4, or not given out. */
const publicIpv6 = new BlockList();
publicIpv6.addSubnet('2000::', 3, 'ipv6');

export class AddressRules {
  readonly #allowed: BlockList;

  /** Networks, such as `10.0.0.0/8`, that were checked when the settings were read. */
  constructor(allowed: readonly string[]) {
    this.#allowed = networksOf(allowed) ?? new BlockList();
  }

  /** Whether something may be sent there. What is no address is none. */
  permits(address: string): boolean {
    const version = isIP(address);
    // A zone names an interface of this machine.
    if (version === 0 || address.includes('%')) return false;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (this.#allowed.check(address, family)) return true;
    if (version === 6 && !publicIpv6.check(address, 'ipv6')) return false;
    return !privateAddresses.check(address, family);
  }

  /** Whether an address can be refused by itself, before anybody is asked where it leads. */
  refusesUrl(url: string): boolean {
    const host = hostOf(url);
    if (isIP(host) !== 0) return !this.permits(host);
    return /(^|\.)localhost\.?$/.test(host) && !this.permits('127.0.0.1') && !this.permits('::1');
  }
}

/** As it is connected to: odd spellings of IPv4 are plain, IPv6 is without brackets. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}
