import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { newLicense } from '../support/licensing-catalog.ts';

const suite = useTenant(() => Promise.resolve({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' }));
/** One of the ports of mail servers that no other suite uses. */
const port = 2465;

/** Starts a mail server that treats each connection as `greet` does, and returns its connections. */
async function startMailServer(greet: (connection: Socket) => void): Promise<readonly Socket[]> {
  const connections: Socket[] = [];
  const server = createServer((connection) => {
    connections.push(connection);
    connection.on('error', () => undefined);
    greet(connection);
  }).listen(port, '127.0.0.1');
  onTestFinished(async () => {
    for (const connection of connections) connection.destroy();
    server.close();
    await once(server, 'close');
  });
  await once(server, 'listening');
  return connections;
}

/** Asks the service to prove the mail server, which it does by sending a mail. */
function proveServer() {
  return suite.tenant.asOwner('PUT', '/mail-settings/server', {
    host: '127.0.0.1',
    port,
    security: 'starttls',
    user: 'acme',
    password: 'correct horse battery',
    from_address: 'licenses@acme.example',
    test_recipient: 'owner@acme.example',
  });
}

test("a tenant's mail server that never says anything is refused with the reason, and requests are served meanwhile", async () => {
  const connections = await startMailServer(() => undefined);
  let isProved = false;
  const proof = proveServer().finally(() => {
    isProved = true;
  });
  await expect.poll(() => isProved || connections.length === 1).toBe(true);
  await newLicense(suite.tenant);
  expect(isProved, 'the license was created while the proof waited').toBe(false);
  const refused = await proof;
  expect([refused.status, refused.body.error.code]).toEqual([422, 'MAIL.NOT_ACCEPTED']);
  expect(refused.body.error.message).toMatch(/greeting/i);
  expect((await suite.tenant.asOwner('GET', '/mail-settings')).body.data.server).toBeNull();
});

const longReplies = [
  ['one word', 'a'.repeat(100_000)],
  ['spaces', ' '.repeat(100_000)],
  ['words', 'a '.repeat(50_000)],
  ['addresses', 'a@'.repeat(50_000)],
  ['brackets', '<'.repeat(100_000)],
  ['slashes', '://'.repeat(33_000)],
] as const;

test.each(longReplies)(
  "the reply of a tenant's mail server with 100,000 characters of %s is shortened in little CPU time",
  async (_what, reply) => {
    await startMailServer((connection) => connection.end(`554 no ${reply}\r\n`));
    const before = process.threadCpuUsage();
    const refused = await proveServer();
    const { user } = process.threadCpuUsage(before);
    expect([refused.status, refused.body.error.code]).toEqual([422, 'MAIL.NOT_ACCEPTED']);
    expect(refused.body.error.message.length).toBeLessThan(1000);
    // A quadratic expression took 15 s on it.
    expect(user / 1000, 'CPU of the whole request, in ms').toBeLessThan(1500);
  },
);
