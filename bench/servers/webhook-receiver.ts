/**
 * Receives webhooks as fast as a Node process can and records the time of each. `GET /rate?from=N` returns the rate per
 * second from the Nth on, `GET /reset` forgets all.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const arrivalsMs: number[] = [];

function rateFrom(first: number): object {
  const [from, to] = [arrivalsMs[first], arrivalsMs.at(-1)];
  const count = arrivalsMs.length;
  return { count, perSecond: from === undefined || to === undefined ? 0 : ((count - 1 - first) / (to - from)) * 1000 };
}

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    arrivalsMs.push(performance.now());
    request.resume();
    response.writeHead(204).end();
    return;
  }
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://receiver');
  if (pathname === '/reset') arrivalsMs.length = 0;
  response.end(JSON.stringify(rateFrom(Number(searchParams.get('from')))));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.error(`Serving on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
