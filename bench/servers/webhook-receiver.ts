/**
 * Receives webhooks as fast as a Node process can and records the time of each. `GET /rate?from=N` returns the rate per
 * second from the Nth on; `GET /arrival?request=ID` the time at which the event of a request arrived, in milliseconds
 * since the epoch.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const arrivals: number[] = [];
const byRequest = new Map<string, number>();
const nowMs = () => performance.timeOrigin + performance.now();

function rateFrom(first: number): object {
  const [from, to] = [arrivals[first], arrivals.at(-1)];
  const perSecond = from === undefined || to === undefined ? 0 : ((arrivals.length - 1 - first) / (to - from)) * 1000;
  return { count: arrivals.length, perSecond };
}

const server = createServer(async (request, response) => {
  if (request.method === 'POST') {
    const at = nowMs();
    arrivals.push(at);
    if (request.url === '/watched') byRequest.set(JSON.parse(await text(request)).request_id, at);
    else request.resume();
    response.writeHead(204).end();
    return;
  }
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://receiver');
  if (pathname === '/reset') arrivals.length = 0;
  const arrival = { at: byRequest.get(searchParams.get('request') ?? '') ?? null };
  response.end(JSON.stringify(pathname === '/arrival' ? arrival : rateFrom(Number(searchParams.get('from')))));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.error(`Serving on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
