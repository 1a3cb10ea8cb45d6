import { Resolver } from 'node:dns/promises';
import { isLocalhost, localhostAddress } from '../endpoints/webhook-url.ts';

/** Returns all addresses of a host name. Throws if it has none or if no name server responds. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const queryTimeoutMs = 3000;

/**
 * Creates a resolver that queries the DNS servers of the system. `dns.lookup` would block one of the four threads that
 * the whole process shares until a dead name server times out. The drawback: /etc/hosts and search domains are not
 * read, so names must be fully qualified.
 */
export function createResolver(): Resolve {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 2 });
  return async (hostname) => {
    // The same address that the URL check assumed when the URL was stored.
    if (isLocalhost(hostname)) return [localhostAddress];
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw new Error(`The name ${hostname} has no address.`, { cause: answers });
  };
}
