import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import { type AddressPolicy, createAddressPolicy, type Resolve } from '../../../lib/public-addresses.ts';
import { createWebhookSender, type Message, type WebhookSender } from './sender.ts';

/** Functions that close what a test opened, called in reverse order after the test. */
export const closers: (() => unknown)[] = [];

/** Runs `closers` after each test of the file that calls it. Files share this module, so each registers its own hook. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
}

interface SenderSetup {
  readonly allowed?: readonly string[];
  /** Replaces the policy that `allowed` describes. */
  readonly addresses?: AddressPolicy;
  readonly allowHttp?: boolean;
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

/** Creates a sender that reaches loopback addresses only. */
export function makeSender(setup: SenderSetup = {}): WebhookSender {
  const { allowed = ['127.0.0.0/8'], allowHttp = true, timeoutMs = 10_000, resolve } = setup;
  const sender = createWebhookSender({
    addresses: setup.addresses ?? createAddressPolicy(allowed),
    allowHttp,
    userAgent: 'Licensing-Webhooks/test',
    nowMs: () => Date.UTC(2026, 10, 20, 12),
    timeoutMs,
    ...(resolve && { resolve }),
  });
  closers.push(() => sender.close());
  return sender;
}

/** Starts a server and returns its port. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** Starts a server that calls `onRequest` with each socket when its first bytes arrive. Returns the server's URL. */
export async function rawServer(onRequest: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => socket.once('data', () => onRequest(socket)));
  return `http://127.0.0.1:${await listen(server)}/hook`;
}

/** Starts an HTTP server. Returns the URL of an endpoint on it. */
export async function httpServer(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createHttpServer(listener))}/hook`;
}

/** Returns a message to an endpoint. */
export const message = (url: string): Message => ({
  url,
  headers: { 'webhook-id': 'event-1' },
  body: '{"id":"event-1"}',
});
