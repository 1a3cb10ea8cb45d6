import { isIP } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import { urlMaxLength } from './schemas.ts';

interface UrlRules {
  readonly allowHttp: boolean;
  readonly addresses: AddressPolicy;
}

/** The host of a URL as an address, where it is written as one; else the name without a dot at its end. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** What `localhost` means here. */
export const localhostAddress = '127.0.0.1';

/** True for names that mean this machine, without asking any server (RFC 6761). */
export function isLocalhost(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}

/**
 * The one spelling of a URL that is stored and sent to, or what is wrong with it. The URL standard reads `0x7f.1` and
 * `2130706433` as addresses; the rest of the service sees only what it made of them.
 */
export function checkWebhookUrl(
  text: string,
  { allowHttp, addresses }: UrlRules,
): { url: string } | { problem: string } {
  if (!URL.canParse(text)) return { problem: 'must be a URL such as https://example.com/webhooks' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
    return { problem: 'must begin with https://' };
  if (url.username !== '' || url.password !== '') return { problem: 'must hold no user name and no password' };
  if (url.hash !== '' || url.href.includes('#')) return { problem: 'must have no fragment' };
  if (url.href.length > urlMaxLength) return { problem: `must be at most ${urlMaxLength} characters long` };
  const host = hostOf(url);
  const address = isLocalhost(host) ? localhostAddress : host;
  if (isIP(address) !== 0 && !addresses.allows(address)) {
    return { problem: 'must lead to a public address: this one belongs to a private or reserved network' };
  }
  return { url: url.href };
}
