import type { Agent } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import type { AddressPolicy } from '../endpoints/address-policy.ts';
import { DeliveryError } from './failure.ts';
import type { Resolve } from './resolver.ts';

const sweepMs = 10_000;
const idleSocketsMax = 256;
const idleSocketsPerHostMax = 32;

/** Connections to endpoints. They are kept open for further requests. */
export interface Connections {
  /** Returns the agent for a URL's protocol. With `fresh` it opens a new connection, because a kept one was closed. */
  agentFor(protocol: string, fresh: boolean): Agent;
  /**
   * Resolves a name and fails unless all its addresses are allowed. The socket connects to the addresses that were
   * checked: the name is not resolved a second time, which rules out DNS rebinding.
   */
  readonly lookup: LookupFunction;
  /** Closes all connections. */
  close(): void;
}

/**
 * Creates the connections. The agents of request-filtering-agent are a second check below our own policy. If the
 * operator allows private addresses, that second check is off and the policy decides alone: the agent's own list of
 * exceptions prints a warning for each address of the other family.
 */
export function createConnections(addresses: AddressPolicy, resolve: Resolve): Connections {
  const filter = { allowPrivateIPAddress: addresses.hasExceptions, allowMetaIPAddress: addresses.hasExceptions };
  const kept = {
    ...filter,
    keepAlive: true,
    maxFreeSockets: idleSocketsPerHostMax,
    scheduling: 'lifo',
  } as const;
  const tls = { rejectUnauthorized: true, maxCachedSessions: idleSocketsMax };
  const pooled = {
    http: new RequestFilteringHttpAgent(kept),
    https: new RequestFilteringHttpsAgent({ ...kept, ...tls }),
  };
  const single = {
    http: new RequestFilteringHttpAgent({ ...filter, keepAlive: false }),
    https: new RequestFilteringHttpsAgent({ ...filter, ...tls, keepAlive: false }),
  };
  const sweep = idleSweep(pooled.http, pooled.https);
  const timer = setInterval(sweep, sweepMs);
  timer.unref();
  return {
    agentFor(protocol, fresh) {
      const agents = fresh || idleSockets(pooled.http, pooled.https) > idleSocketsMax ? single : pooled;
      return protocol === 'https:' ? agents.https : agents.http;
    },
    lookup: checkedLookup(addresses, resolve),
    close() {
      clearInterval(timer);
      for (const agent of [pooled.http, pooled.https, single.http, single.https]) agent.destroy();
    },
  };
}

/**
 * Returns a function that closes idle connections over which nothing was sent since its previous call. The agents' own
 * timeout would need a timer per request, which is a tenth of the total cost of a request.
 */
function idleSweep(...agents: readonly Agent[]): () => void {
  const sentBefore = new WeakMap<Socket, number>();
  return () => {
    for (const socket of agents.flatMap((agent) => Object.values(agent.freeSockets).flatMap((free) => free ?? []))) {
      if (sentBefore.get(socket) === socket.bytesWritten) socket.destroy();
      else sentBefore.set(socket, socket.bytesWritten);
    }
  };
}

/**
 * Counts the idle connections: above the maximum no connection is kept, so that many endpoints do not hold many
 * sockets.
 */
function idleSockets(...agents: readonly Agent[]): number {
  let count = 0;
  for (const agent of agents) {
    for (const sockets of Object.values(agent.freeSockets)) count += sockets?.length ?? 0;
  }
  return count;
}

function checkedLookup(addresses: AddressPolicy, resolve: Resolve): LookupFunction {
  const checked = async (hostname: string) => {
    const found = await resolve(hostname).catch((error: unknown) => {
      throw new DeliveryError('dns_failed', error);
    });
    if (found.length === 0) throw new DeliveryError('dns_failed');
    if (!found.every((address) => addresses.allows(address))) throw new DeliveryError('address_not_allowed');
    return found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  };
  return (hostname, options, callback) => {
    checked(hostname).then(
      (found) => {
        const [first] = found;
        if (options.all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
