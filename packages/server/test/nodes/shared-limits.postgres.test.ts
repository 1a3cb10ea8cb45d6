import { describe, expect, test } from 'vitest';
import { login } from '../accounts/people.ts';
import { addUser, freshAddress } from '../support/accounts.ts';
import { startApp, type TestApp } from '../support/harness.ts';
import { tally, useValkeyNodes, validateOn } from './valkey-nodes.ts';

const suite = useValkeyNodes();

describe('limits of two nodes', () => {
  test("a tenant's limit is exact under 50 parallel requests to two nodes, and each node shows its full use", async () => {
    const { id, apiKey } = await suite.newTenant(30);
    const answers = await suite.inTurn(50, (node) => validateOn(node, apiKey));
    expect(tally(answers)).toEqual({ 200: 30, 'RATE_LIMIT.EXCEEDED': 20 });
    for (const node of suite.nodes) {
      const url = `/api/v1/admin/rate-limits/${id}`;
      const { body } = await node.request({ method: 'GET', url, headers: suite.admin.auth });
      expect(body.data).toMatchObject({ ceiling: 30, used: 30, remaining: 0 });
    }
  });

  test("a key's limit is exact over two nodes, and refused requests do not count for the tenant", async () => {
    const { apiKey, asOwner } = await suite.newTenant(100);
    const { key } = (await asOwner('POST', '/api-keys', { name: 'Low', rate_limit_per_minute: 20 })).body.data;
    expect(tally(await suite.inTurn(50, (node) => validateOn(node, key)))).toEqual({
      200: 20,
      'RATE_LIMIT.EXCEEDED': 30,
    });
    const { headers } = await validateOn(suite.nodes[1], apiKey);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '79' });
  });

  test("a key's limit per client address is exact over two nodes, and refused requests do not count for the tenant", async () => {
    const { apiKey, asOwner } = await suite.newTenant(100);
    const fields = { name: 'Shipped', rate_limit_per_address_per_minute: 20 };
    const { key } = (await asOwner('POST', '/api-keys', fields)).body.data;
    expect(tally(await suite.inTurn(50, (node) => validateOn(node, key)))).toEqual({
      200: 20,
      'RATE_LIMIT.EXCEEDED': 30,
    });
    const { headers } = await validateOn(suite.nodes[1], apiKey);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '79' });
  });

  test('of 50 parallel logins on two nodes, five are checked, five hit the lock and forty the throttle', async () => {
    const { email } = await addUser(suite.nodes[0]);
    const address = freshAddress();
    const attempt = (node: TestApp) => login(node, { email, password: 'wrong horse battery staple' }, address);
    expect(tally(await suite.inTurn(50, attempt))).toEqual({
      'AUTH.INVALID_CREDENTIALS': 5,
      'AUTH.LOCKED_OUT': 5,
      'RATE_LIMIT.EXCEEDED': 40,
    });
  });

  test('two nodes count the bad API keys of one address together', async () => {
    const address = freshAddress();
    const headers = { 'x-api-key': `vx_${'0'.repeat(64)}` };
    const url = '/api/v1/integration/licenses/UNKNOWN/validate';
    const answers = await suite.inTurn(70, (node) =>
      node.request({ method: 'POST', url, headers, remoteAddress: address }),
    );
    expect(tally(answers)).toEqual({ 'AUTH.INVALID_API_KEY': 60, 'RATE_LIMIT.EXCEEDED': 10 });
  });
});

test('a node whose Valkey password is wrong does not start, and reports why in one sentence', async () => {
  const VALKEY_URL = suite.valkey.url.replace(/:[^:@]*@/, ':wrong@');
  await expect(startApp(suite.site, { VALKEY_URL })).rejects.toThrow(
    /^Valkey on \S+ rejects .* VALKEY_URL .*: correct the URL\.$/,
  );
});
