import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { Connector, type ConnectorOptions } from './connector.ts';
import { DeliveryError } from './failure.ts';

const idleTimeoutMs = 15_000;
const idleMax = 256;
const headersMaxBytes = 16 * 1024;

/** The connections of some requests. */
export interface Route {
  readonly agent: Agent;
  /** Whether connections are closed after one request. */
  readonly reset: boolean;
  /** Number of connections that are open or being opened. */
  open: number;
  /** Number of requests. */
  running: number;
}

/**
 * The connections of a process to endpoints, which undici keeps open for further requests, of all tenants. There is no
 * limit per endpoint: many tenants may have endpoints on one host, and a slow one must not hold up the others.
 */
export class Connections {
  readonly #connector: Connector;
  /** Connections that are kept, by origin. An origin without connections and requests is absent. */
  readonly #kept = new Map<string, Route>();
  readonly #pool: Agent;
  readonly #single: Route;
  readonly #sockets = new Set<Socket>();
  #idle = 0;
  #isOpening = false;
  #isClosed = false;

  constructor(connectorOptions: ConnectorOptions) {
    this.#connector = new Connector(connectorOptions);
    const options = {
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: headersMaxBytes,
      // The timer of the attempt covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleTimeoutMs,
      keepAliveMaxTimeout: idleTimeoutMs,
    };
    this.#pool = new Agent({
      ...options,
      connect: (target, callback) => this.#connect(this.#routeTo(originOf(target)), target, callback),
    });
    this.#single = {
      agent: new Agent({
        ...options,
        connect: (target, callback) => this.#connect(this.#single, target, callback),
      }),
      reset: true,
      open: 0,
      running: 0,
    };
  }

  /**
   * Returns where to send a request; `release` must be called after it. With `fresh` it gets a new connection, because
   * a kept one was closed. A new connection is not kept if the maximum of connections is idle, so that sending to many
   * endpoints does not hold many sockets.
   */
  take(origin: string, { fresh }: { readonly fresh: boolean }): Route {
    const kept = this.#kept.get(origin);
    const hasIdle = kept !== undefined && kept.open > kept.running;
    const route = fresh || (!hasIdle && this.#idle >= idleMax) ? this.#single : (kept ?? this.#routeTo(origin));
    this.#count(route, 'running', 1);
    return route;
  }

  /** Ends the use of a route by a request. */
  release(origin: string, route: Route): void {
    this.#count(route, 'running', -1);
    this.#forget(origin, route);
  }

  /** True while undici starts the request for which a connection was opened. Other requests start on kept ones. */
  get isOpening(): boolean {
    return this.#isOpening;
  }

  /** True after `close`. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Closes all connections, also those that are being opened. Requests end with `connection_reset`. */
  close(): void {
    this.#isClosed = true;
    for (const agent of [this.#pool, this.#single.agent]) void agent.destroy(new DeliveryError('connection_reset'));
    for (const socket of this.#sockets) socket.destroy();
  }

  #routeTo(origin: string): Route {
    const known = this.#kept.get(origin);
    if (known !== undefined) return known;
    const route = { agent: this.#pool, reset: false, open: 0, running: 0 };
    this.#kept.set(origin, route);
    return route;
  }

  #forget(origin: string, route: Route): void {
    const isUnused = route.open === 0 && route.running === 0;
    if (isUnused && this.#kept.get(origin) === route) this.#kept.delete(origin);
  }

  #count(route: Route, what: 'open' | 'running', change: 1 | -1): void {
    route[what] += change;
    if (!route.reset) this.#idle += what === 'open' ? change : -change;
  }

  #connect(route: Route, target: buildConnector.Options, callback: buildConnector.Callback): void {
    const socket = this.#connector.open(target, (...result) => {
      this.#isOpening = true;
      callback(...result);
      this.#isOpening = false;
    });
    this.#sockets.add(socket);
    this.#count(route, 'open', 1);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#count(route, 'open', -1);
      this.#forget(originOf(target), route);
    });
  }
}

function originOf({ protocol, host }: buildConnector.Options): string {
  return `${protocol}//${host}`;
}
