import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';

interface Cidr {
  readonly network: string;
  readonly prefixLength: number;
  readonly family: 'ipv4' | 'ipv6';
}

const mappedPrefix = '::ffff:';

/**
 * Returns the canonical spelling of an address: IPv6 compressed and without its zone (RFC 5952), and an IPv4-mapped
 * IPv6 address (`::ffff:192.0.2.1`, which a dual-stack socket reports) as the IPv4 address. Null for an invalid
 * address.
 */
export function normalizeAddress(address: string): string | null {
  const withoutZone = address.split('%', 1)[0] ?? '';
  if (isIPv4(withoutZone)) return withoutZone;
  if (!isIPv6(withoutZone)) return null;
  const compressed = new SocketAddress({ address: withoutZone, family: 'ipv6' }).address;
  const embedded = compressed.slice(mappedPrefix.length);
  return compressed.startsWith(mappedPrefix) && isIPv4(embedded) ? embedded : compressed;
}

function parseCidr(text: string): Cidr | null {
  const [address = '', prefixText, ...rest] = text.split('/');
  if (rest.length > 0 || isIP(address) === 0 || address.includes('%')) return null;
  const network = normalizeAddress(address);
  if (network === null) return null;
  if (prefixText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefixText)) return null;

  const writtenBits = isIPv4(address) ? 32 : 128;
  const networkBits = isIPv4(network) ? 32 : 128;
  const writtenLength = prefixText === undefined ? writtenBits : Number(prefixText);
  // The prefix of a mapped IPv4 network counts the 96 bits before the IPv4 address.
  const prefixLength = writtenLength - (writtenBits - networkBits);
  if (writtenLength > writtenBits || prefixLength < 0) return null;
  return { network, prefixLength, family: networkBits === 32 ? 'ipv4' : 'ipv6' };
}

/** Returns true for a network (`10.0.0.0/8`, `2001:db8::/32`) and for a single IPv4 or IPv6 address. */
export function isCidr(text: string): boolean {
  return parseCidr(text) !== null;
}

/** Returns the indexes of the entries that are neither a network nor an address. */
export function invalidCidrs(cidrs: readonly string[]): number[] {
  return cidrs.flatMap((text, index) => (isCidr(text) ? [] : [index]));
}

/** A set of networks, prepared for frequent lookups. */
export interface CidrSet {
  /** Returns true when the address is in one of the networks; false for an invalid address. */
  matches(address: string): boolean;
}

/** Parses a list of networks and single addresses. An entry that `isCidr` rejects matches no address. */
export function parseCidrs(cidrs: readonly string[]): CidrSet {
  let networks: Networks | undefined;
  return {
    matches(address) {
      const normalized = normalizeAddress(address);
      if (normalized === null) return false;
      // At the first address: Node compiles its patterns for addresses then, which would prolong the start by 20 ms.
      networks ??= networksOf(cidrs);
      const family = isIPv4(normalized) ? 'ipv4' : 'ipv6';
      return networks[family].check(normalized, family);
    },
  };
}

/** One list per family: an IPv6 network such as `::/0` would otherwise match IPv4 addresses too. */
interface Networks {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

function networksOf(cidrs: readonly string[]): Networks {
  const networks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const text of cidrs) {
    const cidr = parseCidr(text);
    if (cidr !== null) networks[cidr.family].addSubnet(cidr.network, cidr.prefixLength, cidr.family);
  }
  return networks;
}

/**
 * Returns the key under which a throttle counts a client: the IPv4 address, or the /64 network of an IPv6 address,
 * because one subscriber has all 2^64 addresses of a /64 (RFC 6177) and could use a new one for every attempt.
 */
export function clientNetwork(address: string): string {
  const normalized = normalizeAddress(address);
  if (normalized === null || isIPv4(normalized)) return normalized ?? address;
  const [head = '', tail] = normalized.split('::');
  const leading = head === '' ? [] : head.split(':');
  const trailing = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(8 - leading.length - trailing.length, 0)).fill('0');
  return `${[...leading, ...zeros, ...trailing].slice(0, 4).join(':')}::/64`;
}

/** Returns true for a host that only this machine can reach: `localhost`, `::1` and 127.0.0.0/8. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^::ffff:(?=\d)/i, '');
  return host === 'localhost' || host === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
