import { isIP, isIPv4 } from 'node:net';
import { normalizeAddress, parseCidrs } from '../../../lib/cidr.ts';
import { urlMaxLength } from './schemas.ts';

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

/** Decides which addresses webhooks may be sent to. */
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

interface UrlRules {
  readonly allowHttp: boolean;
  readonly addresses: AddressPolicy;
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

/**
 * Returns the normalised URL to store, or the problem with it. The URL standard reads `0x7f.1` and `2130706433` as
 * addresses; the normalised URL contains them in dotted form, so later checks see the actual address.
 */
export function checkWebhookUrl(
  text: string,
  { allowHttp, addresses }: UrlRules,
): { url: string } | { problem: string } {
  if (!URL.canParse(text)) return { problem: 'Enter a URL such as https://example.com/webhooks.' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
    return { problem: 'Enter an address that begins with https://.' };
  if (url.username !== '' || url.password !== '')
    return { problem: 'Remove the user name and the password from the URL.' };
  if (url.hash !== '' || url.href.includes('#')) return { problem: 'Remove the part of the URL after #.' };
  if (url.href.length > urlMaxLength) return { problem: `Enter a URL of at most ${urlMaxLength} characters.` };
  const host = hostOf(url);
  const address = isLocalhost(host) ? localhostAddress : host;
  if (isIP(address) !== 0 && !addresses.allows(address)) {
    return {
      problem: 'Enter a public address. This one belongs to a private or reserved network, to which nothing is sent.',
    };
  }
  return { url: url.href };
}
