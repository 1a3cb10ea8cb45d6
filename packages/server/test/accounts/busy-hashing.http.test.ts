import { afterAll, beforeAll, expect, test } from 'vitest';
import { passwordWork } from '../../src/lib/password.ts';
import { addUser, testPassword } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
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

test('a login succeeds again when the queue is empty', async () => {
  const { email } = await addUser(suite.app);
  release();
  await Promise.all(tasks);
  expect((await login(suite.app, { email, password: testPassword })).status).toBe(200);
});
