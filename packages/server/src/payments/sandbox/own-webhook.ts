import type { FastifyInstance } from 'fastify';
import { PaymentProviderError } from '../provider.ts';
import type { SendEvent } from './context.ts';

/** Where the sandbox's events arrive. */
const eventPath = '/webhooks/sandbox';
const timeoutMs = 10_000;
const reachable = new Map([
  ['::', '::1'],
  ['0.0.0.0', '127.0.0.1'],
]);

/** The address that a server listens at; null when it does not. One that listens everywhere is reached by loopback. */
function listeningUrl(http: FastifyInstance): string | null {
  const [listening] = http.addresses();
  // A text would be a path: the service listens at addresses alone.
  if (listening === undefined || typeof listening === 'string') return null;
  const { address, port } = listening;
  const host = reachable.get(address) ?? address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${eventPath}`;
}

/**
 * Posts an event of the sandbox to the service itself: over HTTP to the address it listens at, and through its router
 * without a socket where it does not listen.
 */
export async function sendToOwnWebhook(
  http: FastifyInstance | undefined,
  { body, headers }: Parameters<SendEvent>[0],
): Promise<number> {
  if (http === undefined) throw new PaymentProviderError('unavailable', 'The service has no surfaces yet.');
  const url = listeningUrl(http);
  if (url === null) {
    const answer = await http.inject({ method: 'POST', url: eventPath, headers, payload: body });
    return answer.statusCode;
  }
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  await answer.body?.cancel();
  return answer.status;
}
