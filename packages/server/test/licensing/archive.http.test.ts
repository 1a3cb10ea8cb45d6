import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import { created, eventsOf, newPolicy } from '../support/licensing-catalog.ts';
import { sendFile } from './license-files.ts';

const suite = useTenant();
const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  suite.tenant.asOwner(method, path, body);

/** Archives a policy, or the product of a policy. */
const archivals = ['policies', 'products'] as const;
type Archival = (typeof archivals)[number];

async function archived(kind: Archival) {
  const policy = await newPolicy(suite.tenant, { duration_days: 30 });
  const license = created(await send('POST', '/licenses', { policy_id: policy.id }));
  const id = kind === 'policies' ? policy.id : policy.product_id;
  const code = kind === 'policies' ? 'POLICY.ARCHIVED' : 'PRODUCT.ARCHIVED';
  const answer = await send('POST', `/${kind}/${id}/archive`);
  return { policy, license, id, code, answer };
}

describe('archive', () => {
  test.for(archivals)('no license is issued after one of the %s is archived, until it is unarchived', async (kind) => {
    const { policy, id, code, answer } = await archived(kind);
    expect([answer.status, typeof answer.body.data.archived_at]).toEqual([200, 'string']);
    const refused = await send('POST', '/licenses', { policy_id: policy.id });
    expect([refused.status, refused.body.error.code]).toEqual([422, code]);
    const back = await send('POST', `/${kind}/${id}/unarchive`, {});
    expect(back.body.data.archived_at).toBeNull();
    expect((await send('POST', '/licenses', { policy_id: policy.id })).status).toBe(201);
  });

  test.for(archivals)('the licenses of archived %s work, and are changed and renewed as before', async (kind) => {
    const { license } = await archived(kind);
    const verdict = await suite.tenant.asApplication(`/licenses/${license.key}/validate`);
    expect(verdict.body.data.valid).toBe(true);
    const renewed = await send('POST', `/licenses/${license.id}/renew`);
    expect(renewed.body.data.expires_at > license.expires_at).toBe(true);
    expect((await send('PUT', `/licenses/${license.id}`, { max_activations: 3 })).status).toBe(200);
  });

  test.for(archivals)('archiving %s twice is recorded once, and so is the return', async (kind) => {
    const { id } = await archived(kind);
    const name = kind === 'policies' ? 'POLICY' : 'PRODUCT';
    expect((await send('POST', `/${kind}/${id}/archive`)).status).toBe(200);
    for (let time = 0; time < 2; time += 1) await send('POST', `/${kind}/${id}/unarchive`);
    expect(await eventsOf(suite.tenant, id)).toEqual([`${name}.UNARCHIVED`, `${name}.ARCHIVED`, `${name}.CREATED`]);
    expect((await send('POST', `/${kind}/${newId()}/archive`)).status).toBe(404);
    expect((await send('POST', `/${kind}/${id}/archive`, { reason: 'x' })).status).toBe(422);
  });

  test.for(archivals)('the list of %s has archived rows only if they are asked for', async (kind) => {
    const { id, answer } = await archived(kind);
    const { code } = answer.body.data;
    const listed = async (query: string) => {
      const { body } = await send('GET', `/${kind}?code=${code}${query}`);
      return body.data.map((row: { id: string }) => row.id);
    };
    expect(await listed('')).toEqual([]);
    expect(await listed('&archived=false')).toEqual([]);
    expect(await listed('&archived=true')).toEqual([id]);
    expect(await listed('&archived=all')).toEqual([id]);
    expect((await send('GET', `/${kind}?archived=yes`)).status).toBe(422);
    await send('POST', `/${kind}/${id}/unarchive`);
    expect(await listed('&archived=true')).toEqual([]);
    expect(await listed('')).toEqual([id]);
  });

  test.for(archivals)('a file of licenses is refused by row for archived %s', async (kind) => {
    const { policy } = await archived(kind);
    const answer = await sendFile(suite.app, suite.tenant, `policy_id\n${policy.id}\n`);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'IMPORT.REJECTED']);
    expect(answer.body.error.details[0]).toMatchObject({ field: 'policy' });
  });

  test.for(archivals)('an offer of a shop cannot name a policy when %s are archived', async (kind) => {
    const { policy, code } = await archived(kind);
    const connection = created(await send('POST', '/connections', { provider: 'custom', name: 'Shop' }));
    const offers = `/connections/${connection.id}/offers`;
    const refused = await send('POST', offers, { external_id: 'item', policy_id: policy.id });
    expect([refused.status, refused.body.error.code]).toEqual([422, code]);
  });

  test.for(archivals)('no trial without a key starts when %s are archived', async (kind) => {
    const policy = await newPolicy(suite.tenant, { duration_days: 14 });
    await send('PUT', `/products/${policy.product_id}`, { trial_policy_id: policy.id });
    await send('POST', `/${kind}/${kind === 'policies' ? policy.id : policy.product_id}/archive`);
    const apiKey = created(await send('POST', '/api-keys', { name: 'Trials', scopes: ['trials:create'] })).key;
    const answer = await suite.app.request({
      method: 'POST',
      url: '/api/v1/integration/trials',
      headers: { 'x-api-key': apiKey },
      payload: { product: policy.product_id, fingerprint: 'one' },
    });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'TRIAL.NOT_OFFERED']);
  });
});
