import { Resolver } from 'node:dns/promises';
import { isIPv6, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import createConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { type AddressPolicy, isLocalhost, localhostAddress } from '../endpoints/address-policy.ts';
import { DeliveryError } from './outcome.ts';

const dnsQueryTimeoutMs = 3000;
const idleTimeoutMs = 15_000;
const idleMax = 256;
const headersMaxBytes = 16 * 1024;

/** Returns all addresses of a host name. Throws if it has no address or if no name server responds. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

interface ConnectionsOptions {
  readonly addresses: AddressPolicy;
  readonly resolve: Resolve;
  /** Timeout of resolving a name, connecting and TLS together. */
  readonly connectTimeoutMs: number;
}

/**
 * The connections of a process to the endpoints of all tenants, at addresses that the policy allows. There is no limit
 * per host: many tenants may have endpoints on one host, and a slow endpoint must not delay the others.
 */
export class Connections {
  readonly #kept: Agent;
  readonly #single: Agent;
  /** Number of idle connections, by origin. An origin without idle connections is absent. */
  readonly #idle = new Map<string, number>();
  #idleTotal = 0;

  constructor({ addresses, resolve, connectTimeoutMs }: ConnectionsOptions) {
    const open = createConnector({
      lookup: checkedLookup(addresses, resolve),
      timeout: connectTimeoutMs,
      allowH2: false,
    });
    const connect = (agent: () => Agent): buildConnector.connector => {
      return (target, callback) =>
        open(target, (...[error, socket]) => {
          if (error !== null) return callback(error, null);
          const origin = `${target.protocol}//${target.host}`;
          this.countIdle(agent(), origin, 1);
          socket.once('close', () => this.countIdle(agent(), origin, -1));
          // Attached before the listeners of undici, which drop the reference to the socket of an error.
          socket.once('error', (reason) => Object.assign(reason, { socket: { bytesRead: socket.bytesRead } }));
          // A second check, independent of the URL and of name resolution.
          const { remoteAddress } = socket;
          if (remoteAddress !== undefined && addresses.allows(remoteAddress)) return callback(null, socket);
          socket.destroy();
          callback(new DeliveryError(remoteAddress === undefined ? 'connection_reset' : 'address_not_allowed'), null);
        });
    };
    // The timer of the attempt covers headers and body.
    const timeouts = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: idleTimeoutMs };
    const options = { ...timeouts, keepAliveMaxTimeout: idleTimeoutMs, maxHeaderSize: headersMaxBytes };
    this.#kept = new Agent({ ...options, pipelining: 1, connect: connect(() => this.#kept) });
    this.#single = new Agent({ ...options, pipelining: 0, connect: connect(() => this.#single) });
  }

  /**
   * Returns the agent for a request. With `fresh` the request gets a connection of its own, because a kept one was closed.
   * A new connection is not kept while the maximum of connections is idle, so that sending to many endpoints does not
   * hold many sockets.
   */
  agentFor(origin: string, { fresh }: { readonly fresh: boolean }): Agent {
    const isSingle = fresh || (this.#idleTotal >= idleMax && !this.#idle.has(origin));
    return isSingle ? this.#single : this.#kept;
  }

  /** Must be called with -1 when a request to the origin receives its connection, and with 1 when it has ended. */
  countIdle(agent: Agent, origin: string, change: 1 | -1): void {
    if (agent === this.#single) return;
    const count = (this.#idle.get(origin) ?? 0) + change;
    if (count === 0) this.#idle.delete(origin);
    else this.#idle.set(origin, count);
    this.#idleTotal += change;
  }

  /** Closes all connections. Requests end with `connection_reset`. */
  close(): void {
    for (const agent of [this.#kept, this.#single]) void agent.destroy(new DeliveryError('connection_reset'));
  }
}

/** Creates a lookup that fails unless all addresses of the name are allowed. Literal addresses need no lookup. */
function checkedLookup(addresses: AddressPolicy, resolve: Resolve): LookupFunction {
  const checked = async (hostname: string) => {
    const found = await resolve(hostname).catch((error: unknown) => {
      throw new DeliveryError('dns_failed', error);
    });
    if (found.length === 0) throw new DeliveryError('dns_failed');
    if (!found.every((address) => addresses.allows(address))) throw new DeliveryError('address_not_allowed');
    return found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  };
  return (hostname, { all }, callback) => {
    checked(hostname).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/**
 * Creates a resolver that queries the DNS servers of the system. `dns.lookup` would block one of the four threads that
 * the whole process shares until a dead name server times out. The drawback: /etc/hosts and search domains are not
 * read, so names must be fully qualified.
 */
export function createResolver(): Resolve {
  const resolver = new Resolver({ timeout: dnsQueryTimeoutMs, tries: 2 });
  return async (hostname) => {
    // The same address that the URL check assumed when the URL was stored.
    if (isLocalhost(hostname)) return [localhostAddress];
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw new Error(`The name ${hostname} has no address.`, { cause: answers });
  };
}
