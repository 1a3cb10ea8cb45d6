/**
 * The lower bound of webhook deliveries: `node:http` posts prepared bodies over kept connections, with headers of the
 * same size, and reads only the status. It has no queue, no signatures and no records.
 */
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readSetup } from '../processes.ts';

interface Setup {
  readonly url: string;
  readonly body: string;
  readonly concurrency: number;
}

const { url, body, concurrency } = await readSetup<Setup>();
const target = new URL(url);
const agent = new Agent({ keepAlive: true, maxFreeSockets: concurrency });
const headers = {
  'content-type': 'application/json',
  'user-agent': 'Licensing-Webhooks/1.0.0',
  'webhook-id': '01900000-0000-7000-8000-000000000000',
  'webhook-timestamp': '1763000000',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
};
const { hostname, port, pathname: path } = target;

async function post(): Promise<void> {
  const length = { 'content-length': Buffer.byteLength(body) };
  const posted = request({ method: 'POST', hostname, port, path, agent, headers: { ...headers, ...length } });
  posted.end(body);
  const [response] = await once(posted, 'response');
  response.resume();
  await once(response, 'end');
}

async function postForEver(): Promise<void> {
  for (;;) await post();
}

for (let index = 0; index < concurrency; index += 1) void postForEver();
// Listens only to report that the process has started.
const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.error(`Serving on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
