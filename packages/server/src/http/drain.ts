import type { FastifyInstance } from 'fastify';

const pollIntervalMs = 50;
/** Less than the 10 s that a whole stop may take, because buffered data is written afterwards. */
const requestsGraceMs = 8_000;

/**
 * Stops accepting connections and waits for the requests in flight, for at most 8 s. It also closes connections that
 * become idle meanwhile: Node closes only those that are idle at the start, so one keep-alive connection would delay
 * the stop.
 */
export async function drain(http: FastifyInstance): Promise<void> {
  const idle = setInterval(() => http.server.closeIdleConnections(), pollIntervalMs);
  const deadline = setTimeout(() => http.server.closeAllConnections(), requestsGraceMs);
  try {
    await http.close();
  } finally {
    clearInterval(idle);
    clearTimeout(deadline);
  }
}
