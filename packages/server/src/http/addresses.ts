/** Addresses as limits see them: what one customer of a network provider holds counts as one. */
import { isIPv6 } from 'node:net';

/** How much of an IPv6 address names a network; the other half is the holder's to choose at will. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** One bucket for each IPv4 address and for each IPv6 network of 64 bits. IPv4 written as IPv6 is IPv4. */
export function addressBucket(ip: string): string {
  const zoneAt = ip.indexOf('%');
  const address = zoneAt === -1 ? ip : ip.slice(0, zoneAt);
  if (!address.includes(':') || !isIPv6(address)) return address;
  const groups = groupsOf(address);
  if (isMappedIpv4(groups)) {
    const [high, low] = [groups[6] as number, groups[7] as number];
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  }
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::') as [string?, string?];
  const front = numbersOf(head);
  if (tail === undefined) return front;
  const back = numbersOf(tail);
  return [...front, ...Array<number>(GROUPS - front.length - back.length).fill(0), ...back];
}

function numbersOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

function isMappedIpv4(groups: readonly number[]): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
}
