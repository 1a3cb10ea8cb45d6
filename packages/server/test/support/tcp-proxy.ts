import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How data is forwarded: immediately, with a delay, or never, although the connection stays open. */
type Mode =
  | { readonly kind: 'open' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'silent' };

/** A proxy between a service and its server. */
export interface TcpProxy {
  /** The server's URL through this proxy. */
  readonly url: string;
  /** Sets the mode of new and existing connections. */
  set(mode: Mode): void;
  /** Ends every connection with RST. */
  reset(): void;
  /** The number of open connections. */
  readonly connectionCount: number;
  close(): Promise<void>;
}

/** Starts a proxy on loopback in front of the server of a URL. */
export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let mode: Mode = { kind: 'open' };

  /** Forwards data. After a connection lost data in the mode `silent`, it forwards nothing any more. */
  function pump(from: Socket, to: Socket, connection: { isDead: boolean }): void {
    let earlier = Promise.resolve();
    sockets.add(from);
    from.on('data', (chunk) => {
      connection.isDead ||= mode.kind === 'silent';
      if (connection.isDead) return;
      const late = mode.kind === 'slow' ? delay(mode.delayMs) : undefined;
      // Keeps the order of arrival, even when the mode changes from slow to open.
      earlier = earlier.then(() => late).then(() => void (to.destroyed || to.write(chunk)));
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      if (mode.kind !== 'silent') to.destroy();
    });
  }

  const server = createServer((caller) => {
    const callee = connect({ host: target.hostname, port: Number(target.port) });
    const connection = { isDead: false };
    pump(caller, callee, connection);
    pump(callee, caller, connection);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(serverUrl);
  url.port = String((server.address() as AddressInfo).port);
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: url.href,
    set(next) {
      mode = next;
    },
    reset,
    get connectionCount() {
      return sockets.size / 2;
    },
    async close() {
      server.close();
      reset();
      await once(server, 'close');
    },
  };
}
