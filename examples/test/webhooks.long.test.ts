import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { beforeAll, expect, inject, test, vi } from 'vitest';
import { freePort } from './support/global-setup.ts';
import { type Installation, install } from './support/running.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await install('webhooks');
  return installation.remove;
});

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const holder = { name: 'Ada', email: 'ada@example.com', reference: null };

/** Returns a message as the service sends it. */
function message({ id = 'event-1', to = holder }) {
  const now = new Date();
  const body = JSON.stringify({ id, type: 'license.created', data: { id: 'license-1', holder: to } });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, now, body),
  };
  return { method: 'POST', body, headers };
}

test.for([
  ['Express', 'start'],
  ['Hono', 'hono'],
] as const)(
  'with %s, a license that the service creates is welcomed, and other routes parse JSON',
  async ([, script]) => {
    const { management, license } = installation;
    const port = await freePort();
    const endpoint = await management.webhooks.create({
      url: `http://127.0.0.1:${port}/webhooks/licensing`,
      events: ['license.created'],
    });
    const env = { PORT: String(port), LICENSING_WEBHOOK_SECRET: `${secret},${endpoint.secret}` };
    const server = await installation.start({ env, script });
    const [, url = ''] = await server.printed(/Listening on (http:\S+)/);
    await license('editor', []);
    await server.printed(/to a customer: Welcome!/);
    const order = await fetch(`${url}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"quantity":1}',
    });
    expect(await order.json()).toEqual({ received: { quantity: 1 } });
    server.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
    await management.webhooks.delete(endpoint.id);
  },
);

test.for([
  ['Express', 'start'],
  ['Hono', 'hono'],
] as const)(
  'with %s, a repeated event is handled once, a forged one is refused, and one that failed is asked for again',
  async ([, script]) => {
    const server = await installation.start({ env: { LICENSING_WEBHOOK_SECRET: secret }, script });
    const [, url = ''] = await server.printed(/Listening on (http:\S+)/);
    const send = async (init: RequestInit) => (await fetch(`${url}/webhooks/licensing`, init)).status;
    expect(await send(message({}))).toBe(204);
    expect(await send(message({}))).toBe(204);
    expect(await send({ ...message({}), body: '{}' })).toBe(400);
    const failing = { ...holder, email: 'unreachable@example.com' };
    expect(await send(message({ id: 'event-2', to: failing }))).toBe(500);
    expect(await send(message({ id: 'event-2' }))).toBe(204);
    server.kill('SIGTERM');
    const { output } = await server.ended;
    expect(output.match(/to Ada: Welcome!/g)).toHaveLength(2);
    expect(output).toContain('WEBHOOK.HANDLER_FAILED');
    expect(output).toContain('The mail server does not answer.');
  },
);

test('the route of Next.js answers as Next.js calls it, with a Request', async () => {
  vi.stubEnv('LICENSING_WEBHOOK_SECRET', secret);
  const file = join(inject('examples').folder, 'webhooks/app/webhooks/licensing/route.js');
  const { POST } = await import(pathToFileURL(file).href);
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
  const answer = async (init: RequestInit) =>
    (await POST(new Request('http://localhost/webhooks/licensing', init))).status;
  expect(await answer(message({ id: 'event-3' }))).toBe(204);
  expect(await answer({ ...message({}), body: '{}' })).toBe(400);
  expect(log.mock.calls).toEqual([['to Ada: Welcome! Your license is ready.']]);
  vi.unstubAllEnvs();
  log.mockRestore();
});
