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

/** Connections to endpoints, kept open for the next request. */
export interface Connections {
  /** For a URL's protocol. `fresh`: a connection of its own, where a kept one turned out to be closed. */
  agentFor(protocol: string, fresh: boolean): Agent;
  /**
   * Resolves a name and refuses it unless every address of it is allowed. The socket connects to the addresses that
   * were checked here: nothing resolves the name a second time.
   */
  readonly lookup: LookupFunction;
  close(): void;
}

/**
 * The agents of request-filtering-agent are a second net below our own policy. Where the operator allows private
 * addresses it must let them pass, because its own list of exceptions complains on the console about every address of
 * the other family; the policy decides alone then.
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
 * Closes connections over which nothing was sent since the sweep before. The agents' own time-out would cost a timer
 * for each request, a tenth of all that a request costs.
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

/** Many endpoints must not hold many sockets: past the bound connections are not kept. */
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
