import { beforeAll, expect, test } from 'vitest';
import { type Installation, install, type Running } from './support/running.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await install('express');
  return installation.remove;
});

/** Starts the server, and returns it with its address after the first check. */
async function start(licenseKey: string): Promise<{ server: Running; url: string }> {
  const server = await installation.start({ env: { LICENSE_KEY: licenseKey } });
  await server.printed(/license: \w+ \(.*/);
  const [, url = ''] = await server.printed(/Listening on (http:\S+)/);
  return { server, url };
}

/** Has the server check its license, and returns what it prints. A check that runs already may be older. */
async function checkAgain(server: Running): Promise<string> {
  let result = '';
  for (const _time of ['the running check', 'a new one']) {
    const from = server.output.length;
    server.kill('SIGHUP');
    [, result = ''] = await server.printed(/license checked: (.*)/, from);
  }
  return result;
}

async function get(url: string) {
  const response = await fetch(url);
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

async function stop(server: Running, signal: NodeJS.Signals) {
  server.kill(signal);
  return await server.ended;
}

test('a licensed server serves, refuses what the license lacks with the reason, and ends at SIGTERM', async () => {
  const { key } = await installation.license('editor', []);
  const { server, url } = await start(key);
  expect(await get(`${url}/reports`)).toEqual({ status: 200, body: { reports: ['sales', 'stock'] } });
  expect(await get(`${url}/reports/sales/export`)).toEqual({
    status: 403,
    body: {
      error: {
        code: 'ENTITLEMENT.NOT_GRANTED',
        message: 'The license of this server does not include "export". Ask its administrator to upgrade.',
        entitlement: 'export',
      },
    },
  });
  expect(await stop(server, 'SIGTERM')).toMatchObject({ code: 0, signal: null });
  expect(server.output, 'the key is in no log').not.toContain(key);
});

test('a server goes on while the service is away, also after a restart, and SIGHUP notices a revocation', async () => {
  const { gate, management, license } = installation;
  const { id, key } = await license('editor', ['export']);
  const first = await start(key);
  expect(await get(`${first.url}/reports/sales/export`)).toMatchObject({ status: 200, body: 'report\n"sales"\n' });
  await gate.close();
  expect(await checkAgain(first.server)).toBe('offline (NETWORK.UNREACHABLE)');
  expect(await get(`${first.url}/reports/sales/export`)).toMatchObject({ status: 200 });
  expect(await get(`${first.url}/license`)).toMatchObject({ body: { status: 'offline', entitlements: ['export'] } });
  await stop(first.server, 'SIGINT');
  const second = await start(key);
  expect(await get(`${second.url}/reports`)).toMatchObject({ status: 200 });
  await gate.open();
  await management.licenses.revoke(id);
  expect(await checkAgain(second.server)).toBe('unlicensed (LICENSE.REVOKED)');
  expect(await get(`${second.url}/reports`)).toMatchObject({
    status: 403,
    body: { error: { code: 'LICENSE.REVOKED', message: expect.stringContaining('at /license') } },
  });
  expect(await get(`${second.url}/health`)).toMatchObject({ status: 200 });
  await stop(second.server, 'SIGTERM');
});

test('with a wrong key the server runs and says so', async () => {
  const { server, url } = await start('WRONG');
  expect(await get(`${url}/license`)).toMatchObject({ body: { status: 'unlicensed', reason: 'LICENSE.NOT_FOUND' } });
  expect(await get(`${url}/reports`)).toMatchObject({ status: 403, body: { error: { code: 'LICENSE.NOT_FOUND' } } });
  await stop(server, 'SIGTERM');
});

test.each(['SIGTERM', 'SIGINT'] as const)('a floating seat is free after %s', async (signal) => {
  const { management, license } = installation;
  const policy = { maxActivations: 1, leaseSeconds: 3600, requireActivation: true };
  const { id, key } = await license('editor', [], policy);
  const { server } = await start(key);
  expect((await management.licenses.get(id)).activationsCount).toBe(1);
  expect(await stop(server, signal)).toMatchObject({ code: 0 });
  expect((await management.licenses.get(id)).activationsCount).toBe(0);
});
