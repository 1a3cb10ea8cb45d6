import type { FastifyInstance } from 'fastify';

const lookEveryMs = 50;
/** Less than the 10 s that the whole stop may take: what waits in memory is still to be written after it. */
const requestsMayTakeMs = 8_000;

/**
 * Stops accepting and waits for the requests in flight, for 8 s at most. A connection that becomes idle meanwhile is
 * closed: Node closes only those that are idle at the beginning, so one caller with keep-alive would hold up the stop.
 */
export async function drain(http: FastifyInstance): Promise<void> {
  const idle = setInterval(() => http.server.closeIdleConnections(), lookEveryMs);
  const deadline = setTimeout(() => http.server.closeAllConnections(), requestsMayTakeMs);
  try {
    await http.close();
  } finally {
    clearInterval(idle);
    clearTimeout(deadline);
  }
}
