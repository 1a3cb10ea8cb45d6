import { expect, test } from 'vitest';
import { freshAddress, useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';

const clock = useClock();
const suite = useTenant();

const badKey = `vx_${'0'.repeat(64)}`;

function validate(key: string | undefined, remoteAddress: string): Promise<Answer> {
  const url = '/api/v1/integration/licenses/UNKNOWN/validate';
  const headers = key === undefined ? {} : { 'x-api-key': key };
  return suite.app.request({ method: 'POST', url, headers, remoteAddress });
}

const repeat = (count: number, key: string | undefined, address: string) =>
  Promise.all(Array.from({ length: count }, () => validate(key, address)));

const statusesOf = (responses: readonly Answer[]) => ({
  unauthorized: responses.filter(({ status }) => status === 401).length,
  limited: responses.filter(({ status }) => status === 429).length,
});

test('exactly 60 requests with a bad key per minute and address get 401, and all further ones get 429', async () => {
  const address = freshAddress();
  expect(statusesOf(await repeat(100, badKey, address))).toEqual({ unauthorized: 60, limited: 40 });
  const refused = await validate(badKey, address);
  expect(refused.body.error.code).toBe('RATE_LIMIT.EXCEEDED');
  expect(refused.headers).toMatchObject({
    'retry-after': '60',
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000 + 60)),
  });
});

test('an address that exceeded its failures is still served with a valid key, and bad keys stay limited', async () => {
  const address = freshAddress();
  await repeat(60, badKey, address);
  expect((await validate(badKey, address)).status).toBe(429);
  expect((await validate(suite.tenant.apiKey, address)).status).toBe(200);
  expect((await validate(badKey, address)).status).toBe(429);
});

test('missing, malformed and revoked API keys count as failures, and successful requests do not', async () => {
  const address = freshAddress();
  await repeat(100, suite.tenant.apiKey, address);
  await repeat(20, undefined, address);
  await repeat(20, 'malformed', address);
  const made = await suite.tenant.asOwner('POST', '/api-keys', { name: 'Revoked' });
  await suite.tenant.asOwner('DELETE', `/api-keys/${made.body.data.id}`);
  expect(statusesOf(await repeat(21, made.body.data.key, address))).toEqual({ unauthorized: 20, limited: 1 });
});

test('the failures of one address do not limit another address', async () => {
  const address = freshAddress();
  await repeat(61, badKey, address);
  expect((await validate(badKey, freshAddress())).status).toBe(401);
});

test('all addresses of one IPv6 /64 network share one count of failures', async () => {
  const addresses = Array.from({ length: 60 }, (_unused, index) => `2001:db8:1:2::${index.toString(16)}`);
  for (const address of addresses) expect((await validate(badKey, address)).status).toBe(401);
  expect((await validate(badKey, '2001:db8:1:2:ffff::1')).status).toBe(429);
  expect((await validate(badKey, '2001:db8:1:3::1')).status).toBe(401);
});

test('the window of failures opens with the first failure and ends 60 s later', async () => {
  const address = freshAddress();
  await validate(badKey, address);
  clock.advance(59_000);
  await repeat(59, badKey, address);
  const refused = await validate(badKey, address);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  clock.advance(1_000);
  expect((await validate(badKey, address)).status).toBe(401);
});

test('X-Forwarded-For from an untrusted caller does not change the address that failures count for', async () => {
  const address = freshAddress();
  const url = '/api/v1/integration/licenses/UNKNOWN/validate';
  const responses = await Promise.all(
    Array.from({ length: 61 }, (_unused, index) => {
      const headers = { 'x-api-key': badKey, 'x-forwarded-for': `203.0.113.${index}` };
      return suite.app.request({ method: 'POST', url, remoteAddress: address, headers });
    }),
  );
  expect(statusesOf(responses)).toEqual({ unauthorized: 60, limited: 1 });
});
