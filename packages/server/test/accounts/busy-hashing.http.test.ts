import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { passwordWork } from '../../src/lib/password.ts';
import { addUser, testPassword } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { openSocket, portOf } from '../support/raw-http.ts';
import { statementsOf } from '../support/statements.ts';
import { login } from './people.ts';

const suite = useApp();
const tasks: Promise<unknown>[] = [];
const { promise: released, resolve: release } = Promise.withResolvers<void>();

beforeAll(() => {
  while (!passwordWork.isFull) tasks.push(passwordWork.run(() => released));
});

afterAll(async () => {
  release();
  await Promise.all(tasks);
});

test('while too many passwords wait for their check, a login is refused before anything is read, with a random time to wait', async () => {
  const { email } = await addUser(suite.app);
  const waits = new Set<number>();
  const statements = await statementsOf(suite.app, async () => {
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const { status, body, headers } = await login(suite.app, { email, password: testPassword });
      expect([status, body.error.code]).toEqual([503, 'SERVICE.UNAVAILABLE']);
      waits.add(Number(headers['retry-after']));
    }
  });
  expect(statements).toEqual([]);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(5);
  expect(Math.max(...waits)).toBeLessThanOrEqual(15);
  expect(waits.size).toBeGreaterThan(3);
});

test('a burst of logins does not hold up an API key that is used after them', async () => {
  // The background work does not start: other tests count statements.
  await suite.app.http.listen({ host: '127.0.0.1', port: 0 });
  const logins = 30;
  const probe = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';
  const sockets = await Promise.all(Array.from({ length: logins + 1 }, () => openSocket(portOf(suite.app))));
  for (const socket of sockets) {
    socket.write(probe);
    await once(socket, 'data');
  }
  const body = JSON.stringify({ email: 'someone@example.com', password: testPassword });
  const head = 'HTTP/1.1\r\nHost: a\r\nContent-Type: application/json';
  const login = `POST /api/v1/auth/login ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const validation = `POST /api/v1/integration/licenses/some-key/validate ${head}\r\nContent-Length: 2\r\n\r\n{}`;
  const statuses: string[] = [];
  // All are sent in one turn of the event loop, the validation last. Without an API key it needs no database.
  const answers = sockets.map(async (socket, index) => {
    socket.write(index === logins ? validation : login);
    statuses.push(String((await once(socket, 'data'))[0]).slice(9, 12));
    socket.destroy();
  });
  await Promise.all(answers);
  expect(statuses.filter((status) => status === '401')).toEqual(['401']);
  expect(statuses.indexOf('401')).toBeLessThan(3);
});

test('a login succeeds again when the queue is empty', async () => {
  const { email } = await addUser(suite.app);
  release();
  await Promise.all(tasks);
  expect((await login(suite.app, { email, password: testPassword })).status).toBe(200);
});
