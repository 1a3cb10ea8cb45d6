import { readFileSync } from 'node:fs';
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

/**
 * Keeps at most `max` connections open. For a further one it closes the connection that has waited longest for its
 * client; while the service handles a request on every connection, it closes the new one. `server.maxConnections` of
 * Node would refuse every new client for as long as strangers keep idle connections.
 */
export function limitConnections(app: FastifyInstance, { max, metrics, logger }: ConnectionLimit): void {
  /** Every open connection, with the number of its requests that are being handled: several with pipelining. */
  const requests = new Map<Socket, number>();
  /** The connections without a request, the longest wait first. */
  const waiting = new Set<Socket>();
  const closedLog = createClosedLog(logger, max);
  metrics.watchOpen(() => requests.size, max);

  const forget = (socket: Socket): void => {
    requests.delete(socket);
    waiting.delete(socket);
  };
  app.server.on('connection', (socket: Socket) => {
    requests.set(socket, 0);
    waiting.add(socket);
    socket.once('close', () => forget(socket));
    if (requests.size <= max) return;
    const [closed = socket] = waiting;
    forget(closed);
    closed.destroy();
    metrics.countClosed(closed === socket ? 'new' : 'idle');
    closedLog.count();
  });
  // A connection that is closed already, or that a test invented, is unknown.
  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    const handled = requests.get(socket);
    if (handled !== undefined) requests.set(socket, handled + 1);
    waiting.delete(socket);
    done();
  });
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    const handled = requests.get(socket);
    if (handled !== undefined) requests.set(socket, handled - 1);
    if (handled === 1) waiting.add(socket);
    done();
  });
  app.addHook('onClose', (_app, done) => {
    closedLog.close();
    done();
  });
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
