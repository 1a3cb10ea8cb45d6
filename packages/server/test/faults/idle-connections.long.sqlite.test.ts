import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { makeParty } from '../crash/evidence.ts';
import { servingAddress } from '../crash/killable-service.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const receiver = useReceiver();
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const openFiles = 200;
const idleCount = 3 * openFiles;

interface LoggedClosing {
  readonly time: number;
  readonly count: number;
}

/** Starts `serve` with a limit of open files. */
async function startLimited(env: NodeJS.ProcessEnv) {
  const command = `ulimit -n ${openFiles} && exec "$0" "$1" serve`;
  const child = spawn('sh', ['-c', command, process.execPath, main], {
    env: { PATH: process.env['PATH'], DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  onTestFinished(stop);
  const closings: LoggedClosing[] = [];
  createInterface(child.stdout).on('line', (line) => {
    if (line.includes('connections were closed because')) closings.push(JSON.parse(line));
  });
  return { address: await servingAddress(child), closings, stop };
}

const wholeRequest = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
/** A request that is awaited after the guard has passed it. */
const halfBody = (token: string) =>
  `POST /api/v1/tenant/licenses HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n` +
  'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"policy_id":';

/** Opens connections on which the service waits for more, every other one after a request, or all of them after half of one. */
async function openMany(address: string, bytes: string): Promise<void> {
  const { port, hostname } = new URL(address);
  const opened = Array.from({ length: idleCount }, async (_none, index) => {
    const socket: Socket = connect(Number(port), hostname);
    // The service closes it.
    socket.on('error', () => socket.destroy());
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect').catch(() => undefined);
    if (index % 2 === 0 || bytes !== wholeRequest) socket.write(bytes);
  });
  await Promise.all(opened);
}

async function readMetrics(address: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return (name) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
}

test('with more idle connections and half-sent bodies than files may be open, requests, databases and webhooks work, and one line per second is logged', async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const env = { ...site.env, ...loopbackWebhooks, LOG_LEVEL: 'warn' };
  const app = await startApp({ ...site, env });
  const admin = await createAdmin(app);
  const party = await makeParty(await createTenant(app, admin), receiver);
  const tenants = [];
  for (let index = 0; index < 8; index += 1) {
    const tenant = await createTenant(app, admin, `Tenant ${index}`);
    tenants.push({ apiKey: tenant.apiKey, license: await newLicense(tenant) });
  }
  await stopApp(app);
  const { address, closings, stop } = await startLimited(env);
  await openMany(address, wholeRequest);
  await openMany(address, halfBody(party.token));

  for (const { apiKey, license } of tenants) {
    const url = `${address}/api/v1/integration/licenses/${license.key}/validate`;
    const verdict = await fetch(url, { method: 'POST', headers: { 'x-api-key': apiKey } });
    expect(await verdict.json()).toMatchObject({ data: { valid: true } });
  }
  const created = await fetch(`${address}/api/v1/tenant/licenses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${party.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ policy_id: party.policyId }),
  });
  expect(created.status).toBe(201);
  await eventually(() => expect(receiver.at(party.path)).not.toEqual([]));

  const metric = await readMetrics(address);
  expect(metric('http_connections_max')).toBe(openFiles / 2);
  expect(metric('http_connections_open')).toBeLessThanOrEqual(openFiles / 2);
  const dropped = metric('http_connections_dropped_total{connection="idle"}');
  expect(dropped).toBeGreaterThanOrEqual(idleCount);
  await stop();
  expect(closings.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(dropped);
  const [first, last] = [closings[0]?.time ?? 0, closings.at(-1)?.time ?? 0];
  // The last line is written by the stop.
  expect(closings.length).toBeLessThanOrEqual(2 + (last - first) / 1000);
});
