import { isIPv6, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import createConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { type AddressPolicy, HostRefusedError, type Resolve, resolveAllowed } from './public-addresses.ts';

const idleTimeoutMs = 15_000;
const idleMax = 256;
const headersMaxBytes = 16 * 1024;

interface ConnectionsOptions {
  readonly addresses: AddressPolicy;
  readonly resolve: Resolve;
  /** Timeout of resolving a name, connecting and TLS together. */
  readonly connectTimeoutMs: number;
}

/**
 * The connections of a process to the servers of all tenants, at addresses that the policy allows. There is no limit
 * per host: many tenants may use one host, and a slow server must not delay the others.
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
          callback(remoteAddress === undefined ? closedError() : new HostRefusedError('address_not_allowed'), null);
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

  /** Closes all connections. Requests end with the code `ECONNRESET`. */
  close(): void {
    for (const agent of [this.#kept, this.#single]) void agent.destroy(closedError());
  }
}

/** Creates a lookup that fails unless all addresses of the name are allowed. Literal addresses need no lookup. */
function checkedLookup(addresses: AddressPolicy, resolve: Resolve): LookupFunction {
  return (hostname, { all }, callback) => {
    resolveAllowed(hostname, addresses, resolve).then(
      (found) => {
        const entries = found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        if (all) callback(null, entries);
        else callback(null, entries[0]?.address ?? '', entries[0]?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

function closedError(): Error {
  return Object.assign(new Error('The connection is closed.'), { code: 'ECONNRESET' });
}
