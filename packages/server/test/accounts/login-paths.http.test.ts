import { expect, test } from 'vitest';
import { createAdmin } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';

const suite = useApp();

test('a login at /api/auth/ and at /api/v1/auth/ count as attempts of one throttle', async () => {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const url = attempt % 2 === 0 ? '/api/auth/login' : '/api/v1/auth/login';
    const payload = { email: `nobody${attempt}@example.com`, password: 'wrong password', type: 'tenant' };
    const answer = await suite.app.http.inject({ method: 'POST', url, payload, remoteAddress: '203.0.113.77' });
    statuses.push(answer.statusCode);
  }
  expect(statuses.slice(0, 10)).not.toContain(429);
  expect(statuses.slice(10)).toEqual([429, 429]);
});

test('a token works at both paths, and a logout at one ends it at the other', async () => {
  const { auth } = await createAdmin(suite.app);
  const send = (method: 'GET' | 'POST', url: string) => suite.app.request({ method, url, headers: auth });
  for (const path of ['me', 'two-factor']) {
    const [one, other] = [await send('GET', `/api/auth/${path}`), await send('GET', `/api/v1/auth/${path}`)];
    expect(one.status).toBe(200);
    expect(other.body.data).toEqual(one.body.data);
  }
  expect((await send('POST', '/api/v1/auth/logout')).status).toBe(200);
  expect((await send('GET', '/api/auth/me')).status).toBe(401);
});
