import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { createLicensingData } from '../support/licensing-data.ts';
import { openSocket, portOf, readAnswers } from '../support/raw-http.ts';

async function startSite() {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const app = await startApp(site);
  const admin = await createAdmin(app);
  const tenant = await createTenant(app, admin);
  return { site, app, tenant, data: await createLicensingData(tenant) };
}

test('a stop finishes requests in flight, closes and refuses connections, and stores buffered data', async () => {
  const { site, app, tenant, data } = await startSite();
  await app.listen();
  const port = portOf(app);
  const idle = await openSocket(port);
  const idleEnded = once(idle.resume(), 'close');
  const socket = await openSocket(port);
  const answers = readAnswers(socket);
  const arrived = once(app.http.server, 'request');
  const head = [
    `POST /api/v1/integration/licenses/${data.licenseKey}/validate HTTP/1.1`,
    'Host: a',
    `X-API-Key: ${tenant.apiKey}`,
    'Content-Type: application/json',
    'Content-Length: 2',
  ];
  // The rest of the body is sent while the service is stopping.
  socket.write(`${head.join('\r\n')}\r\n\r\n{`);
  await arrived;

  const stopped = stopApp(app);
  while (app.http.server.listening) await nextIteration();
  const [refusal] = await once(connect(port, '127.0.0.1'), 'error');
  expect(refusal.code).toBe('ECONNREFUSED');
  socket.write('}');

  const [answer] = await answers;
  expect(answer?.status).toBe(200);
  expect(JSON.parse(answer?.body ?? '').data).toMatchObject({ valid: true });
  await stopped;
  await idleEnded;

  const again = await startApp(site);
  onTestFinished(() => stopApp(again));
  const read = async (path: string) =>
    (await again.request({ method: 'GET', url: `/api/v1/tenant${path}`, headers: tenant.owner.auth })).body.data;
  expect((await read(`/api-keys/${tenant.apiKeyId}`)).last_used_at).toEqual(expect.any(String));
  expect((await read(`/licenses/${data.licenseId}`)).last_validated_at).toEqual(expect.any(String));
});

test('stopping twice, or before the first request, stops the service once', async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const app = await startApp(site);
  await app.listen();
  await Promise.all([app.close(), app.close()]);
  const again = await startApp(site);
  expect((await again.request({ method: 'GET', url: '/health/ready' })).status).toBe(200);
  await stopApp(again);
});
