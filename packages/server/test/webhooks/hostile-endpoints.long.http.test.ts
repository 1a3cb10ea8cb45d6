import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverDue } from '../../src/features/webhooks/delivery/delivery-job.ts';
import { createWebhookSender, type WebhookSender } from '../../src/features/webhooks/delivery/sender.ts';
import { createAddressPolicy } from '../../src/lib/public-addresses.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { expired, selfSigned } from '../support/self-signed.ts';
import { loopbackWebhooks } from '../support/webhook-receiver.ts';

const suite = useApp(loopbackWebhooks);

/** Replaces the service's timeout of 15 s. */
const timeoutMs = 750;
/** Recorded durations exceed the timeout a little if the process is busy. */
const slackMs = 1500;
const bodyMaxBytes = 16 * 1024;
const mebibyte = 1024 * 1024;

type Behaviour = (socket: Socket) => void;

const servers: Server[] = [];
const sockets = new Set<Socket>();
let sentBytes = 0;

async function listen(server: Server): Promise<number> {
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

/** Starts a server that calls `behave` at the first bytes of each request. */
const raw = (behave: Behaviour) => async () =>
  `http://127.0.0.1:${await listen(createServer((socket) => socket.once('data', () => behave(socket))))}/`;

const sends = (text: string) => raw((socket) => socket.end(text));

const withCertificate = (certificate: { readonly key: string; readonly cert: string }, host: string) => async () => {
  const server = createHttpsServer({ ...certificate }, (_request, response) => response.end());
  return `https://${host}:${await listen(server)}/`;
};

const trickles =
  (head: string, piece: string): Behaviour =>
  (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), 20);
    socket.on('close', () => clearInterval(timer));
  };

/** Writes as fast as the reader reads, without end. */
const floods =
  (head: string): Behaviour =>
  (socket) => {
    const chunk = 'x'.repeat(64 * 1024);
    const write = () => {
      while (!socket.destroyed && socket.write(chunk)) sentBytes += chunk.length;
    };
    socket.on('drain', write);
    socket.write(head);
    write();
  };

async function closedPort(): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return `http://127.0.0.1:${port}/`;
}

const ok = 'HTTP/1.1 200 OK\r\n';

interface Case {
  readonly what: string;
  readonly url: () => Promise<string>;
  readonly error: string | null;
  readonly status: number | null;
}

const cases: readonly Case[] = [
  { what: 'garbage', url: sends('\u0001\u0002\u0003garbage\r\n\r\n'), error: 'response_malformed', status: null },
  { what: 'another protocol', url: sends('SSH-2.0-x\r\n'), error: 'response_malformed', status: null },
  {
    what: 'two lengths',
    url: sends(`${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`),
    error: 'response_malformed',
    status: null,
  },
  {
    what: 'a bad chunk',
    url: sends(`${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    error: 'response_malformed',
    status: 200,
  },
  {
    what: 'huge headers',
    url: raw((socket) => socket.write(`${ok}${'X-A: b\r\n'.repeat(100_000)}`)),
    error: 'response_malformed',
    status: null,
  },
  { what: 'headers without an end', url: raw(floods(`${ok}X-A: `)), error: 'response_malformed', status: null },
  { what: 'gigabytes', url: raw(floods(`${ok}Content-Length: 8589934592\r\n\r\n`)), error: null, status: 200 },
  {
    what: 'gigabytes and a failure',
    url: raw(floods('HTTP/1.1 500 No\r\nContent-Length: 8589934592\r\n\r\n')),
    error: 'status_500',
    status: 500,
  },
  {
    what: 'a byte at a time',
    url: raw(trickles(`${ok}Content-Length: 100000\r\n\r\n`, 'a')),
    error: 'timeout',
    status: 200,
  },
  { what: 'a header byte at a time', url: raw(trickles(`${ok}X-A: `, 'a')), error: 'timeout', status: null },
  {
    what: 'nothing but 103 Early Hints',
    url: raw(trickles('', 'HTTP/1.1 103 Early Hints\r\n\r\n')),
    error: 'timeout',
    status: null,
  },
  { what: 'nothing', url: raw(() => undefined), error: 'timeout', status: null },
  { what: 'half a header', url: raw((socket) => socket.write(`${ok}X-Ha`)), error: 'timeout', status: null },
  {
    what: 'headers alone',
    url: raw((socket) => socket.write(`${ok}Content-Length: 9\r\n\r\n`)),
    error: 'timeout',
    status: 200,
  },
  { what: 'a closed connection', url: raw((socket) => socket.destroy()), error: 'connection_reset', status: null },
  { what: 'a reset', url: raw((socket) => socket.resetAndDestroy()), error: 'connection_reset', status: null },
  {
    what: 'a reset within the body',
    url: raw((socket) => socket.write(`${ok}Content-Length: 9\r\n\r\nab`, () => socket.resetAndDestroy())),
    error: 'connection_reset',
    status: 200,
  },
  {
    what: 'another protocol to switch to',
    url: raw((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')),
    error: 'status_101',
    status: 101,
  },
  {
    what: 'a redirect',
    url: sends('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n'),
    error: 'status_302',
    status: 302,
  },
  { what: '410', url: sends('HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n'), error: 'status_410', status: 410 },
  {
    what: 'plain HTTP for TLS',
    url: async () => (await sends('HTTP/1.1 400 Bad\r\n\r\n')()).replace('http', 'https'),
    error: 'tls_invalid',
    status: null,
  },
  {
    what: 'silence for TLS',
    url: async () => (await raw(() => undefined)()).replace('http', 'https'),
    error: 'timeout',
    status: null,
  },
  {
    what: 'an untrusted certificate',
    url: withCertificate(selfSigned, 'localhost'),
    error: 'tls_invalid',
    status: null,
  },
  {
    what: 'a certificate of another name',
    url: withCertificate(selfSigned, 'other.example.com'),
    error: 'tls_invalid',
    status: null,
  },
  {
    what: 'an expired certificate',
    url: withCertificate(expired, 'localhost'),
    error: 'tls_invalid',
    status: null,
  },
  {
    what: 'a name without an address',
    url: async () => 'https://unknown.example.com/',
    error: 'dns_failed',
    status: null,
  },
  {
    what: 'a name of a private address',
    url: async () => 'https://private.example.com/',
    error: 'address_not_allowed',
    status: null,
  },
  { what: 'a refused connection', url: closedPort, error: 'connection_refused', status: null },
];

const addresses: Readonly<Record<string, string>> = {
  'other.example.com': '127.0.0.1',
  'private.example.com': '10.0.0.1',
};

let tenant: TestTenant;
let sender: WebhookSender;
const trusted = getCACertificates('default');

beforeAll(async () => {
  tenant = await createTenant(suite.app, await createAdmin(suite.app));
  sender = createWebhookSender({
    addresses: createAddressPolicy(['127.0.0.0/8']),
    allowHttp: true,
    userAgent: 'Licensing-Webhooks/test',
    nowMs: () => Date.now(),
    timeoutMs,
    resolve: async (name) => {
      const address = name === 'localhost' ? '127.0.0.1' : addresses[name];
      if (address === undefined) throw new Error('NXDOMAIN');
      return [address];
    },
  });
});

afterAll(async () => {
  setDefaultCACertificates(trusted);
  sender.close();
  for (const socket of sockets) socket.destroy();
  await Promise.all(
    servers.filter(({ listening }) => listening).map((server) => new Promise((done) => server.close(done))),
  );
});

/** Creates an endpoint, sends it a test event as the runner would, and returns the recorded delivery. */
async function attemptAt(url: string) {
  const endpoint = await tenant.asOwner('POST', '/webhooks', { url, events: ['webhook.test'] });
  expect(endpoint.status).toBe(201);
  const tested = await tenant.asOwner('POST', `/webhooks/${endpoint.body.data.id}/test`);
  const services = { ...suite.app.services, webhookSender: sender };
  await deliverDue(services, { id: tenant.id, withDb: (work) => services.tenants.withTenantDb(tenant.id, work) });
  const { data } = (await tenant.asOwner('GET', `/webhook-deliveries/${tested.body.data.id}`)).body;
  await tenant.asOwner('DELETE', `/webhooks/${endpoint.body.data.id}`);
  return data;
}

test.each(cases)(
  'an endpoint that responds with $what causes one recorded attempt ($error) within the timeout and little memory',
  async ({ what, url, error, status }) => {
    // These two certificates are trusted: only their name or their validity is wrong.
    if (what.includes('another name')) setDefaultCACertificates([...trusted, selfSigned.cert]);
    else if (what.includes('expired')) setDefaultCACertificates([...trusted, expired.cert]);
    else setDefaultCACertificates(trusted);
    const address = await url();
    sentBytes = 0;
    const before = process.memoryUsage().rss;
    const delivery = await attemptAt(address);
    expect(delivery.attempts).toMatchObject([{ trigger: 'schedule', error, response_status: status }]);
    const [{ duration_ms, response_body }] = delivery.attempts;
    expect(duration_ms).toBeLessThan(timeoutMs + slackMs);
    expect(Buffer.byteLength(response_body ?? '')).toBeLessThanOrEqual(bodyMaxBytes);
    expect(sentBytes).toBeLessThan(64 * mebibyte);
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * mebibyte);
    expect(delivery.status).toBe(error === null ? 'succeeded' : error === 'status_410' ? 'failed' : 'pending');
  },
);
