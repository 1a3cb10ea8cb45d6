import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import { type DeliveryOptions, deliverDue } from '../../src/features/webhooks/delivery/delivery-job.ts';
import type { Timestamp } from '../../src/lib/clock.ts';
import type { TestTenant } from './accounts.ts';
import type { TestApp } from './harness.ts';

/** Settings that allow webhook endpoints on loopback over http. */
export const loopbackWebhooks = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', WEBHOOK_ALLOW_HTTP: 'true' };

export interface Received {
  /** The path of the request, which identifies the endpoint. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Reply {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answering = (received: Received) => Reply | Promise<Reply>;

/** A server on loopback that records the requests that it receives. */
export interface WebhookReceiver {
  url(path: string): string;
  /** Returns the requests to a path, in the order of arrival. */
  at(path: string): readonly Received[];
  /** Sets the status of, or a handler for, later responses at a path. The default is 200. */
  answer(path: string, answering: Answering | number): void;
}

/** Starts one receiver for the suite file. */
export function useReceiver(): WebhookReceiver {
  const received: Received[] = [];
  const answers = new Map<string, Answering>();
  const server = createServer(async (request, response) => {
    const one = { path: request.url ?? '', headers: request.headers, body: await text(request) };
    received.push(one);
    const { status, body, headers } = (await answers.get(one.path)?.(one)) ?? { status: 200 };
    response.writeHead(status, { ...headers }).end(body);
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    url: (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    at: (path) => received.filter((one) => one.path === path),
    answer(path, answering) {
      answers.set(path, typeof answering === 'number' ? () => ({ status: answering }) : answering);
    },
  };
}

/** Runs the delivery job of a tenant once. */
export function deliver(app: TestApp, tenant: TestTenant, options: DeliveryOptions = {}): Promise<Timestamp | null> {
  const { services } = app;
  return deliverDue(
    services,
    { id: tenant.id, withDb: (work) => services.tenants.withTenantDb(tenant.id, work) },
    { random: () => 0.5, ...options },
  );
}
