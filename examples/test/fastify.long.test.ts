import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../tools/eventually.ts';
import { freePort } from './support/global-setup.ts';
import { type Installation, install, type Running } from './support/running.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await install('fastify');
  return installation.remove;
});

async function start(env: NodeJS.ProcessEnv = {}): Promise<{ server: Running; url: string }> {
  const server = await installation.start({ env });
  const [, url = ''] = await server.printed(/Server listening at (http:[^"]+)/);
  return { server, url };
}

async function call(method: string, url: string, licenseKey?: string) {
  const headers = licenseKey === undefined ? {} : { authorization: `Bearer ${licenseKey}` };
  const response = await fetch(`${url}/renders`, { method, headers });
  return { status: response.status, body: await response.json() };
}

async function stop(server: Running, signal: NodeJS.Signals = 'SIGTERM') {
  server.kill(signal);
  return await server.ended;
}

test('requests without a key, with a wrong one, and beyond what the license grants are refused with the reason', async () => {
  const { key } = await installation.license('editor', ['preview']);
  const other = await installation.license('viewer', ['preview']);
  const { server, url } = await start();
  expect(await call('GET', url)).toMatchObject({ status: 401, body: { error: { code: 'LICENSE.KEY_MISSING' } } });
  expect(await call('GET', url, 'WRONG')).toEqual({
    status: 401,
    body: { error: { code: 'LICENSE.NOT_FOUND', message: 'No license has this key.' } },
  });
  expect(await call('GET', url, key)).toEqual({ status: 200, body: { renders: [] } });
  expect(await call('POST', url, key)).toMatchObject({
    status: 403,
    body: { error: { code: 'ENTITLEMENT.NOT_GRANTED', message: 'Your license does not include "render".' } },
  });
  expect(await call('GET', url, other.key)).toMatchObject({
    status: 403,
    body: { error: { code: 'LICENSE.PRODUCT_MISMATCH' } },
  });
  expect(await stop(server, 'SIGINT')).toMatchObject({ code: 0, signal: null });
  expect(server.output, 'no key is in the log').not.toContain(key);
});

test('while the service is away, known customers are served and others are told to wait', async () => {
  const { gate, license } = installation;
  const [known, unknown] = [await license('editor', ['render']), await license('editor', ['render'])];
  const { server, url } = await start();
  expect(await call('POST', url, known.key)).toMatchObject({ status: 202 });
  await gate.close();
  expect(await call('POST', url, known.key)).toMatchObject({ status: 202 });
  expect(await call('POST', url, unknown.key)).toMatchObject({
    status: 503,
    body: { error: { code: 'LICENSE.UNKNOWN', message: expect.stringContaining('Try again') } },
  });
  await gate.open();
  expect(await call('POST', url, unknown.key)).toMatchObject({ status: 202 });
  await stop(server);
});

test('a webhook ends the access of a revoked license at once, and a forged one is refused', async () => {
  const { management, license } = installation;
  const port = await freePort();
  const endpoint = await management.webhooks.create({
    url: `http://127.0.0.1:${port}/webhooks/licensing`,
    events: ['license.revoked'],
  });
  const env = { PORT: String(port), LICENSING_WEBHOOK_SECRET: endpoint.secret ?? '' };
  const { server, url } = await start(env);
  const { id, key } = await license('editor', ['render']);
  expect(await call('POST', url, key)).toMatchObject({ status: 202 });
  const forged = await fetch(`${url}/webhooks/licensing`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'x', type: 'license.revoked', data: { id } }),
  });
  expect(forged.status).toBe(400);
  await management.licenses.revoke(id);
  // Other files revoke licenses of the same tenant, so the first webhook may be about one of those. Without a webhook the
  // example keeps its verdict for a minute.
  await eventually(async () =>
    expect(await call('POST', url, key)).toMatchObject({ status: 403, body: { error: { code: 'LICENSE.REVOKED' } } }),
  );
  await stop(server);
  await management.webhooks.delete(endpoint.id);
});
