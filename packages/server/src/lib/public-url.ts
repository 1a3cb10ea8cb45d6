import { isIP } from 'node:net';
import { type AddressPolicy, hostOf, isLocalhost, localhostAddress } from './public-addresses.ts';

/** Maximum length of a URL that a tenant enters. */
export const urlMaxLength = 2048;

interface UrlRules {
  readonly allowHttp: boolean;
  readonly addresses: AddressPolicy;
}

/**
 * Returns the normalised URL to store, or the problem with it. The URL standard reads `0x7f.1` and `2130706433` as
 * addresses; the normalised URL contains them in dotted form, so later checks see the actual address.
 */
export function checkPublicUrl(
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
