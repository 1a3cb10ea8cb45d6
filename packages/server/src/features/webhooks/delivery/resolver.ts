import { Resolver } from 'node:dns/promises';
import { isLocalhost, localhostAddress } from '../endpoints/webhook-url.ts';

/** Answers every address of a host name; throws when there is none or no server answers. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const queryTimeoutMs = 3000;

/**
 * Asks the DNS servers of the system. `dns.lookup` would occupy one of four threads that the whole process shares for
 * as long as a dead name server keeps silent. In exchange /etc/hosts and search domains are not read: names are
 * written in full.
 */
export function createResolver(): Resolve {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 2 });
  return async (hostname) => {
    // The address by which the URL was judged when it was stored.
    if (isLocalhost(hostname)) return [localhostAddress];
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw new Error(`No address is known for ${hostname}.`, { cause: answers });
  };
}
