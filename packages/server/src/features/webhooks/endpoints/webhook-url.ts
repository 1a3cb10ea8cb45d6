import { isIP } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import { urlMaxLength } from './schemas.ts';

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
  if (!URL.canParse(text)) return { problem: 'must be a URL such as https://example.com/webhooks' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
    return { problem: 'must begin with https://' };
  if (url.username !== '' || url.password !== '') return { problem: 'must not contain a user name or a password' };
  if (url.hash !== '' || url.href.includes('#')) return { problem: 'must not contain a fragment' };
  if (url.href.length > urlMaxLength) return { problem: `must be at most ${urlMaxLength} characters long` };
  const host = hostOf(url);
  const address = isLocalhost(host) ? localhostAddress : host;
  if (isIP(address) !== 0 && !addresses.allows(address)) {
    return { problem: 'must point to a public address; this address belongs to a private or reserved network' };
  }
  return { url: url.href };
}
