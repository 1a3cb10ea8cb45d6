import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { insertRows } from '../../src/db/insert-rows.ts';
import { newId } from '../../src/lib/ids.ts';
import type { TestTenant } from '../support/accounts.ts';
import { engine, useApp } from '../support/harness.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const suite = useApp(loopbackWebhooks);
const receiver = useReceiver();
const { freshTenant, newEndpoint, happen } = webhookFixtures(suite, receiver);

const deadEndpoints = 1000;
/** Number of events that wait for each dead endpoint. */
const dueEach = 10;
const watched = 5;
/** Duration of a delivery on an idle machine. */
const quietMs = 10;
const pollMs = 5;

/** A server that accepts every connection and never responds. */
class SilentServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  openMax = 0;

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      this.openMax = Math.max(this.openMax, this.#sockets.size);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.resume();
    });
  }

  get open(): number {
    return this.#sockets.size;
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  closeSockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.closeSockets();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Starts a process that listens and stops it: once its backlog is full, the kernel drops every connection attempt. */
async function frozenServer(): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  const program = `require('net').createServer().listen({port:0,host:'127.0.0.1',backlog:1},
    function () { console.log(this.address().port) })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [port] = await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  return { port: Number(port), child };
}

async function refusingPort(): Promise<number> {
  const server = new SilentServer();
  const port = await server.listen();
  await server.close();
  return port;
}

const silent = new SilentServer();
const ports = { silent: 0, refusing: 0, frozen: 0 };
let frozen: ChildProcess;

beforeAll(async () => {
  ports.silent = await silent.listen();
  ports.refusing = await refusingPort();
  const { port, child } = await frozenServer();
  ports.frozen = port;
  frozen = child;
});

afterAll(async () => {
  frozen.kill('SIGKILL');
  await silent.close();
});

/** Gives the tenant dead endpoints, which are copies of one endpoint. */
async function addDead(tenant: TestTenant, urlOf: (index: number) => string): Promise<void> {
  const { id } = await newEndpoint(tenant);
  await suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
    db.transaction(async (tx) => {
      const rows = tx.selectFrom('webhook_endpoints').selectAll().where('id', '=', id);
      const template = await rows.executeTakeFirstOrThrow();
      const dead = Array.from({ length: deadEndpoints }, (_, index) => ({
        ...template,
        id: newId(),
        url: urlOf(index),
      }));
      await insertRows(tx, 'webhook_endpoints', dead);
      await tx.deleteFrom('webhook_endpoints').where('id', '=', id).execute();
    }),
  );
}

/** Runs due jobs like a serving process until the test ends. */
function startRunner(endHanging: () => void): void {
  const { runner } = createBackgroundJobs(suite.app.services);
  const { wakeUps, webhookTraffic } = suite.app.services;
  wakeUps.whenDue(() => runner.wake());
  runner.start();
  onTestFinished(async () => {
    const stopped = runner.stop();
    wakeUps.whenDue(() => undefined);
    endHanging();
    await stopped;
    await expect.poll(() => webhookTraffic.detachedCount).toBe(0);
  });
}

/** Ends the pending deliveries of a tenant, so that they do not affect the next test. */
async function endPending(tenant: TestTenant): Promise<void> {
  await suite.app.services.tenants.withTenantDb(tenant.id, ({ query }) =>
    query
      .updateTable('webhook_deliveries')
      .set({ status: 'failed', failure_reason: 'attempts_exhausted', claimable_at: null, lease_id: null })
      .where('claimable_at', 'is not', null)
      .execute(),
  );
}

function wakeDeliveries(tenant: TestTenant): void {
  const { wakeUps, clock } = suite.app.services;
  wakeUps.scheduleAfterCommit(tenant.id, 'deliveries', clock.now());
}

/**
 * Returns the time in milliseconds from the response to a request, which follows its commit, to the arrival of its
 * event.
 */
async function arrivalMs(
  tenant: TestTenant,
  endpoint: { readonly id: string; readonly path: string },
): Promise<number> {
  const before = receiver.at(endpoint.path).length;
  const answer = await tenant.asOwner('POST', `/webhooks/${endpoint.id}/test`);
  expect(answer.status).toBe(200);
  const answeredAt = performance.now();
  while (receiver.at(endpoint.path).length === before) await delay(pollMs);
  return performance.now() - answeredAt;
}

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

const kinds: readonly (readonly [string, (index: number) => string])[] = [
  ['that accept connections and never respond', (index) => `http://127.0.0.1:${ports.silent}/${index}`],
  ['that refuse every connection', (index) => `http://127.0.0.1:${ports.refusing}/${index}`],
  ['that drop every connection attempt', (index) => `http://127.0.0.1:${ports.frozen}/${index}`],
];

/** How an endpoint is dead does not concern the database, so PostgreSQL runs only the kind that costs it most. */
const kindsHere = engine === 'sqlite' ? kinds : kinds.slice(0, 1);

describe.each(kindsHere)('dead endpoints %s', (what, urlOf) => {
  test(`a thousand endpoints ${what} delay neither other tenants nor a healthy endpoint beside them by more than 1 s`, {
    timeout: 180_000,
  }, async () => {
    const other = await freshTenant();
    const others = await newEndpoint(other);
    const tenant = await freshTenant();
    // A closed server refuses the connection attempts that still hang.
    startRunner(() => (what.includes('drop') ? frozen.kill('SIGKILL') : silent.closeSockets()));
    const quiet: number[] = [];
    for (let index = 0; index < watched; index += 1) quiet.push(await arrivalMs(other, others));
    await addDead(tenant, urlOf);
    onTestFinished(() => endPending(tenant));
    const beside = await newEndpoint(tenant);
    await happen(tenant, dueEach);
    wakeDeliveries(tenant);
    // The healthy endpoint was created last, and as many events wait for each dead one.
    await expect.poll(() => receiver.at(beside.path).length).toBe(dueEach);
    const { webhookTraffic } = suite.app.services;
    const hang = what.includes('never respond');
    if (hang) {
      await expect.poll(() => webhookTraffic.detachedCount).toBe(deadEndpoints);
      // The server shares the event loop with the service, so it accepts the last connections later.
      await expect.poll(() => silent.openMax).toBe(deadEndpoints);
    }
    const waits: number[] = [];
    const besideWaits: number[] = [];
    const hanging: number[] = [];
    for (let index = 0; index < watched; index += 1) {
      waits.push(await arrivalMs(other, others));
      besideWaits.push(await arrivalMs(tenant, beside));
      hanging.push(webhookTraffic.detachedCount);
    }
    // Each dead endpoint holds one request, and requests hung while everything above arrived.
    if (hang) expect([silent.openMax, Math.min(...hanging) > 0]).toEqual([deadEndpoints, true]);
    // A busy machine gets more time, in proportion to how slow it is.
    const mostMs = 1000 * Math.max(1, median(quiet) / quietMs);
    expect(median(waits)).toBeLessThan(mostMs);
    expect(median(besideWaits)).toBeLessThan(mostMs);
  });
});
