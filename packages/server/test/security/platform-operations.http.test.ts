import type { InjectOptions } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { newAccessToken } from '../accounts/access-tokens.ts';
import { createAdmin, useTenant } from '../support/accounts.ts';

const suite = useTenant();
let userId: string;

beforeAll(() => {
  userId = suite.tenant.owner.id;
});

/** Every route about users, jobs and mails, with the status for an admin of any role. */
const requests = (): [InjectOptions, number][] => {
  const base = '/api/v1/admin';
  return [
    [{ method: 'GET', url: `${base}/users` }, 200],
    [{ method: 'GET', url: `${base}/users/${userId}` }, 200],
    [{ method: 'POST', url: `${base}/users/${newId()}/disable` }, 404],
    [{ method: 'POST', url: `${base}/users/${userId}/enable` }, 200],
    [{ method: 'POST', url: `${base}/users/${newId()}/send-password-reset` }, 404],
    [{ method: 'GET', url: `${base}/jobs` }, 200],
    [{ method: 'GET', url: `${base}/jobs/platform.none` }, 404],
    [{ method: 'POST', url: `${base}/jobs/platform.none/retry` }, 404],
    [{ method: 'GET', url: `${base}/mails` }, 200],
    [{ method: 'GET', url: `${base}/mails/${newId()}` }, 404],
    [{ method: 'POST', url: `${base}/mails/${newId()}/retry` }, 404],
    [{ method: 'POST', url: `${base}/feature-flags/try`, payload: {} }, 422],
  ];
};

describe('the routes about users, jobs, mails and trials of flags', () => {
  test.each(['admin', 'billing_readonly', 'billing_admin', 'super_admin'] as const)(
    'serve an admin with the role %s',
    async (role) => {
      const { auth: headers } = await createAdmin(suite.app, role);
      for (const [request, status] of requests()) {
        const answer = await suite.app.request({ ...request, headers });
        expect([request.url, answer.status]).toEqual([request.url, status]);
      }
    },
  );

  test('refuse users, access tokens, API keys and callers without a credential with the same 401', async () => {
    const accessToken = await newAccessToken(suite.tenant);
    const callers: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${'service_'.padEnd(72, '0')}` },
      { ...suite.tenant.owner.auth },
      { authorization: `Bearer ${accessToken.token}` },
      { 'x-api-key': suite.tenant.apiKey },
    ];
    for (const [request] of requests()) {
      for (const headers of callers) {
        const answer = await suite.app.request({ ...request, headers });
        expect([request.url, answer.status, answer.body.error.code]).toEqual([request.url, 401, 'AUTH.INVALID_TOKEN']);
      }
    }
  });
});
