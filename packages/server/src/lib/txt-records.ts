import { Resolver } from 'node:dns/promises';

/** Returns the TXT records of a name; none if it does not exist. Throws if no name server answers. */
export type ResolveTxt = (name: string) => Promise<readonly string[]>;

const dnsQueryTimeoutMs = 3000;

/** Creates a resolver that queries the DNS servers of the system, or these, such as `127.0.0.1:53`. */
export function createTxtResolver(servers?: readonly string[]): ResolveTxt {
  const resolver = new Resolver({ timeout: dnsQueryTimeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    try {
      // A long record comes in several strings, which belong together (RFC 7208, section 3.3).
      return (await resolver.resolveTxt(name)).map((strings) => strings.join(''));
    } catch (error) {
      if (error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA'))
        return [];
      throw error;
    }
  };
}
