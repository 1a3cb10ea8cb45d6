import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { ConnectionMetrics } from '../metrics/connection-metrics.ts';

/** More connections are never kept, because each one takes memory, too. */
const connectionsMost = 16_384;
/** Linux's usual limit, for systems that do not say theirs. Node has raised it to the hard limit at its start. */
const openFilesWithoutLimit = 16_384;
/** Logs, listening sockets, Valkey, mail, the platform's database, and files that are sent or imported. */
const ownFiles = 256;
/** What webhooks may open while no endpoint responds. */
const outgoingConnections = 2_000;
/** An open embedded database: the file, its write-ahead log and the index of the log. */
const filesPerTenant = 3;

/** How many files this process may have open: its limit RLIMIT_NOFILE. */
export function readOpenFilesLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? openFilesWithoutLimit : Number(soft);
  } catch {
    return openFilesWithoutLimit;
  }
}

/**
 * Returns how many connections the service keeps open at a time. The rest of the files is reserved for the databases of
 * the open tenants, for outgoing connections and for the process itself. With a low limit the reserve is half of it.
 */
export function connectionsFor(openFiles: number, tenantPoolSize: number): number {
  const reserve = filesPerTenant * tenantPoolSize + outgoingConnections + ownFiles;
  return Math.min(connectionsMost, openFiles - Math.min(reserve, Math.floor(openFiles / 2)));
}

interface ConnectionLimit {
  readonly max: number;
  readonly metrics: ConnectionMetrics;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The requests that the service handles, by their connections. */
export interface HandledRequests {
  begin(request: IncomingMessage): void;
  end(request: IncomingMessage): void;
}

interface Connection {
  /** The number of requests that are being handled: several with pipelining. */
  handled: number;
  /** The newest request. */
  request?: IncomingMessage;
}

/** True if the service waits for the client: for a request, or for the rest of its body. */
function waitsForClient({ handled, request }: Connection): boolean {
  return handled === 0 || request?.complete === false;
}

/**
 * Keeps at most `max` connections open. For a further one it closes the connection that has waited longest for its
 * client: for a request, or for the rest of a body. While the service works on a request of every connection, it closes the
 * new one. `server.maxConnections` of Node would refuse every new client for as long as strangers keep idle connections. The
 * returned functions must be called when a request begins and when it ends.
 */
export function limitConnections(app: FastifyInstance, { max, metrics, logger }: ConnectionLimit): HandledRequests {
  /** Every open connection, in the order of when a request of it last began or ended. */
  const connections = new Map<Socket, Connection>();
  const closedLog = createClosedLog(logger, max);
  metrics.watchOpen(() => connections.size, max);

  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, { handled: 0 });
    socket.once('close', () => connections.delete(socket));
    if (connections.size <= max) return;
    const waiting = connections.entries().find(([, connection]) => waitsForClient(connection));
    const [closed] = waiting ?? [socket];
    connections.delete(closed);
    closed.destroy();
    metrics.countClosed(closed === socket ? 'new' : 'idle');
    closedLog.count();
  });
  app.addHook('onClose', (_app, done) => {
    closedLog.close();
    done();
  });
  /** Moves a connection to the end. One that is closed already, or that a test invented, is unknown. */
  const note = (request: IncomingMessage, change: 1 | -1): void => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.handled += change;
    if (change === 1) connection.request = request;
    connections.delete(socket);
    connections.set(socket, connection);
  };
  return {
    begin: (request) => note(request, 1),
    end: (request) => note(request, -1),
  };
}

const loggedEveryMs = 1000;

/** Logs the number of closed connections: the first at once, and then at most one line per second. */
function createClosedLog(logger: Pick<Logger, 'warn'>, max: number) {
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    if (count === 0) return;
    logger.warn({ count, max }, 'connections were closed because the maximum number is open');
    count = 0;
    timer = setTimeout(write, loggedEveryMs).unref();
  };
  return {
    count() {
      count += 1;
      if (timer === undefined) write();
    },
    close() {
      write();
      clearTimeout(timer);
    },
  };
}
