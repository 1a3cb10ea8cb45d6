import { expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';

const suite = useTenant({ TRUST_PROXY: 'loopback, 10.0.0.0/8' });

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['[2001:DB8::7]:4711', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['2001:db8:0:0::7%eth0', '2001:db8::7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
  ['198.51.100.1, 203.0.113.7:1', '203.0.113.7'],
  ['203.0.113.7:1, 10.0.0.9:2', '203.0.113.7'],
  ['unknown', '127.0.0.1'],
  ['203.0.113.7:1:2', '127.0.0.1'],
  ['203.0.113.700', '127.0.0.1'],
  ['', '127.0.0.1'],
  // The trusted proxy reported no address, so nobody vouches for what stands to its left.
  ['203.0.113.7, _hidden', '127.0.0.1'],
  ['203.0.113.7, _hidden, 10.0.0.9', '10.0.0.9'],
])('a trusted proxy that sends X-Forwarded-For "%s" names the caller %s', async (header, expected) => {
  const answer = await suite.app.request({
    method: 'POST',
    url: '/api/v1/tenant/products',
    remoteAddress: '127.0.0.1',
    headers: { ...suite.tenant.owner.auth, 'x-forwarded-for': header },
    payload: { name: 'Editor', code: `p-${Math.random().toString(36).slice(2)}` },
  });
  expect(answer.status).toBe(201);
  const { data } = (await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${answer.body.data.id}`)).body;
  expect(data.map(({ ip }: { ip: string }) => ip)).toEqual([expected]);
});

test('ports share one limit and one list of allowed networks with their address', async () => {
  const payload = { name: 'Server', scopes: ['licenses:validate'], allowed_cidrs: ['203.0.113.7/32'] };
  const { key } = (await suite.tenant.asOwner('POST', '/api-keys', payload)).body.data;
  const validateFrom = (address: string, apiKey: string) =>
    suite.app.request({
      method: 'POST',
      url: '/api/v1/integration/licenses/none/validate',
      remoteAddress: '127.0.0.1',
      headers: { 'x-api-key': apiKey, 'x-forwarded-for': address },
      payload: {},
    });
  expect((await validateFrom('203.0.113.7:50001', key)).status).toBe(200);
  expect((await validateFrom('203.0.113.8:50001', key)).status).toBe(403);
  const statuses: number[] = [];
  for (let port = 1; port <= 61; port += 1) {
    statuses.push((await validateFrom(`198.51.100.9:${port}`, `vx_${'0'.repeat(64)}`)).status);
  }
  expect(statuses.slice(0, 60)).toEqual(Array(60).fill(401));
  expect(statuses.at(60)).toBe(429);
});
