import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { newLicense } from '../support/licensing-catalog.ts';

const suite = useTenant(() => Promise.resolve({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' }));
/** One of the ports of mail servers that no other suite uses. */
const port = 2465;

test("a tenant's mail server that never says anything is refused with the reason, and requests are served meanwhile", async () => {
  const connections: Socket[] = [];
  const server = createServer((connection) => connections.push(connection)).listen(port, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    for (const connection of connections) connection.destroy();
  });
  await once(server, 'listening');
  const asOwner = (...request: Parameters<typeof suite.tenant.asOwner>) => suite.tenant.asOwner(...request);
  let isProved = false;
  const proof = asOwner('PUT', '/mail-settings/server', {
    host: '127.0.0.1',
    port,
    security: 'starttls',
    user: 'acme',
    password: 'correct horse battery',
    from_address: 'licenses@acme.example',
    test_recipient: 'owner@acme.example',
  }).finally(() => {
    isProved = true;
  });
  await expect.poll(() => isProved || connections.length === 1).toBe(true);
  await newLicense(suite.tenant);
  expect(isProved, 'the license was created while the proof waited').toBe(false);
  const refused = await proof;
  expect([refused.status, refused.body.error.code]).toEqual([422, 'MAIL.NOT_ACCEPTED']);
  expect(refused.body.error.message).toMatch(/greeting/i);
  expect((await asOwner('GET', '/mail-settings')).body.data.server).toBeNull();
});
