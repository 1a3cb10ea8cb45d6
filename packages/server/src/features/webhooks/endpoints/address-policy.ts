import { isIP, isIPv4 } from 'node:net';
import { normalizeAddress, parseCidrs } from '../../../lib/cidr.ts';

/**
 * IPv4 networks that are no public unicast addresses (IANA special-purpose registry): this host, private, shared
 * (CGNAT), loopback, link-local (where clouds have their metadata), protocol assignments, documentation, 6to4 relays,
 * AS112, benchmarks, multicast, reserved and broadcast.
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
 * Only this part of IPv6 is global unicast. NAT64 (64:ff9b::/96, 64:ff9b:1::/48), IPv4-compatible, unique local,
 * link-local, site-local and multicast addresses all lie outside it.
 */
const globalIpv6 = parseCidrs(['2000::/3']);

/** What is special inside it: Teredo and protocol assignments, documentation, 6to4, AS112. */
const specialIpv6 = parseCidrs(['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);

/** Decides which addresses webhooks may be sent to. */
export interface AddressPolicy {
  /** True for a public unicast address, and for what the operator allows. An address with a zone is never public. */
  allows(address: string): boolean;
  /** The operator allows addresses that are not public. */
  readonly hasExceptions: boolean;
}

function isPublic(address: string): boolean {
  const normalized = normalizeAddress(address);
  // An IPv4 address inside an IPv6 one (`::ffff:192.0.2.1`) is what it stands for, but nobody needs to write it so.
  if (normalized === null || address.includes('%') || isIP(address) !== isIP(normalized)) return false;
  if (isIPv4(normalized)) return !specialIpv4.matches(normalized);
  return globalIpv6.matches(normalized) && !specialIpv6.matches(normalized);
}

/** Makes the policy of `WEBHOOK_ALLOWED_CIDRS`. */
export function createAddressPolicy(allowedCidrs: readonly string[]): AddressPolicy {
  const exceptions = parseCidrs(allowedCidrs);
  return {
    allows: (address) => exceptions.matches(address) || isPublic(address),
    hasExceptions: allowedCidrs.length > 0,
  };
}
