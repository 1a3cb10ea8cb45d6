import { Resolver } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';
import { normalizeAddress, parseCidrs } from './cidr.ts';

/**
 * IPv4 networks without public unicast addresses (IANA special-purpose registry): this host, private, shared (CGNAT),
 * loopback, link-local (cloud metadata services), protocol assignments, documentation, 6to4 relays, AS112, benchmarks,
 * multicast, reserved and broadcast.
 */
const specialIpv4 = parseCidrs([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]);

/**
 * The only part of IPv6 that is global unicast. NAT64 (64:ff9b::/96, 64:ff9b:1::/48), IPv4-compatible, unique local,
 * link-local, site-local and multicast addresses all lie outside it.
 */
const globalIpv6 = parseCidrs(['2000::/3']);

/** Special networks within the global part: Teredo and protocol assignments, documentation, 6to4, AS112. */
const specialIpv6 = parseCidrs(['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);

/** Decides which addresses the service connects to for a tenant. */
export interface AddressPolicy {
  /**
   * Returns true for a public unicast address and for an address that the operator allows. An address with a zone is
   * never public.
   */
  allows(address: string): boolean;
}

function isPublic(address: string): boolean {
  const normalized = normalizeAddress(address);
  // Rejects IPv4 addresses that are written as IPv6 (`::ffff:192.0.2.1`): no legitimate endpoint needs that form.
  if (normalized === null || address.includes('%') || isIP(address) !== isIP(normalized)) return false;
  if (isIPv4(normalized)) return !specialIpv4.matches(normalized);
  return globalIpv6.matches(normalized) && !specialIpv6.matches(normalized);
}

/** Creates the policy. `allowedCidrs` are the operator's exceptions (`WEBHOOK_ALLOWED_CIDRS`). */
export function createAddressPolicy(allowedCidrs: readonly string[]): AddressPolicy {
  const exceptions = parseCidrs(allowedCidrs);
  return { allows: (address) => exceptions.matches(address) || isPublic(address) };
}

/** Returns the host of a URL: an address without brackets, or a name without a trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** The address of `localhost`. */
export const localhostAddress = '127.0.0.1';

/** Returns true for names that always mean this machine, without a DNS query (RFC 6761). */
export function isLocalhost(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}

/** Returns all addresses of a host. Throws if it has no address or if no name server responds. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const dnsQueryTimeoutMs = 3000;

/**
 * Creates a resolver that queries the DNS servers of the system. `dns.lookup` would block one of the four threads that
 * the whole process shares until a dead name server times out. The drawback: /etc/hosts and search domains are not
 * read, so names must be fully qualified.
 */
export function createResolver(): Resolve {
  const resolver = new Resolver({ timeout: dnsQueryTimeoutMs, tries: 2 });
  return async (hostname) => {
    if (isIP(hostname) !== 0) return [hostname];
    // The same address that the URL check assumed when the URL was stored.
    if (isLocalhost(hostname)) return [localhostAddress];
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw new Error(`The name ${hostname} has no address.`, { cause: answers });
  };
}

/** No connection to a host is opened: its name has no address, or an address that the policy does not allow. */
export class HostRefusedError extends Error {
  readonly reason: 'dns_failed' | 'address_not_allowed';

  constructor(reason: HostRefusedError['reason'], cause?: unknown) {
    super(reason, { cause });
    this.name = 'HostRefusedError';
    this.reason = reason;
  }
}

/** Returns the addresses of a host if the policy allows all of them. Throws `HostRefusedError`. */
export async function resolveAllowed(
  hostname: string,
  addresses: AddressPolicy,
  resolve: Resolve,
): Promise<readonly string[]> {
  const found = await resolve(hostname).catch((error: unknown) => {
    throw new HostRefusedError('dns_failed', error);
  });
  if (found.length === 0) throw new HostRefusedError('dns_failed');
  if (!found.every((address) => addresses.allows(address))) throw new HostRefusedError('address_not_allowed');
  return found;
}
