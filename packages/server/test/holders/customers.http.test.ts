import { describe, expect, test } from 'vitest';
import { up as foldAddresses } from '../../src/db/migrations/tenant/0023-folded-addresses.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { bothSurfaces, createTenant, useTenant } from '../support/accounts.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { badFields, created, eventsOf, newPolicy } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();

const holderOf = (email: string, name: string | null = null) => ({ holder: { email, name } });
let policyId: string | undefined;

async function issue(fields: object) {
  policyId ??= (await newPolicy(suite.tenant, { duration_days: 30 })).id;
  return created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policyId, ...fields }));
}

const activate = (key: string, fields: object) => suite.tenant.asApplication(`/licenses/${key}/activations`, fields);
const codeOf = async (key: string, fingerprint: string) =>
  (await suite.tenant.asApplication(`/licenses/${key}/validate`, { fingerprint })).body.data.code;

describe.each(bothSurfaces(suite))('customers through the $surface surface', ({ surface, prefix, auth, suffix }) => {
  const send = (method: 'GET' | 'PUT' | 'DELETE', path: string, payload?: object): Promise<Answer> =>
    suite.app.request({ method, url: prefix() + path, headers: auth(), ...(payload && { payload }) });
  const address = (name: string) => `${name}@${surface}.example.com`;

  test('a customer is every license of one address in any case, with its figures', async () => {
    const email = address('ada');
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const old = await issue({ ...holderOf(email.toUpperCase(), 'Ada Byron'), expires_at });
    await activate(old.key, { fingerprint: 'one' });
    await activate(old.key, { fingerprint: 'two' });
    await codeOf(old.key, 'one');
    clock.advance(1000);
    const newest = await issue({ ...holderOf(email, 'Ada Lovelace'), expires_at });
    const suspended = await issue(holderOf(address('Ada'), 'Ada King'));
    await suite.tenant.asOwner('POST', `/licenses/${suspended.id}/suspend`);
    const gone = await issue(holderOf(email));
    await suite.tenant.asOwner('DELETE', `/licenses/${gone.id}`);
    await issue(holderOf(`${email}.au`));
    const { body } = await send('GET', `/customers/${encodeURIComponent(email)}`);
    expect(body.data).toMatchObject({
      email: address('Ada'),
      name: 'Ada King',
      licenses_count: 3,
      active_licenses_count: 2,
      active_activations_count: 2,
      licenses: [{ id: suspended.id }, { id: newest.id }, { id: old.id, product_name: 'Editor' }],
    });
    const listed = await send('GET', `/customers?q=${encodeURIComponent(email)}&limit=1`);
    // The time of a validation is stored up to a second later.
    const {
      licenses: _licenses,
      activations: _devices,
      mails: _mails,
      ...row
    } = { ...body.data, last_validated_at: expect.anything() };
    if (listed.body.data[0].last_validated_at === null) row.last_validated_at = null;
    expect(listed.body.data).toEqual([row]);
    clock.advance(60_000);
    const later = await send('GET', `/customers/${email}`);
    expect(later.body.data).toMatchObject({ licenses_count: 3, active_licenses_count: 0, email: address('Ada') });
  });

  test('the spellings of an address beyond ASCII are one customer, in every filter, also from before', async () => {
    const spellings = ['käthe', 'KÄTHE', 'ka\u0308the', 'KA\u0308THE'].map(address);
    const licenses: { readonly id: string; readonly holder: { readonly email: string } }[] = [];
    for (const email of spellings) licenses.push(await issue(holderOf(email)));
    const expectMerged = async () => {
      for (const email of spellings) {
        const encoded = encodeURIComponent(email);
        expect((await send('GET', `/customers/${encoded}`)).body.data, email).toMatchObject({ licenses_count: 4 });
        expect((await send('GET', `/licenses?holder_email=${encoded}&limit=9`)).body.data, email).toHaveLength(4);
        const byExpiry = `/licenses?holder_email=${encoded}&sort=expires_at&limit=9`;
        expect((await send('GET', byExpiry)).body.data, email).toHaveLength(4);
      }
    };
    await expectMerged();
    expect(licenses[1]?.holder.email).toBe(address('käthe'));
    await suite.app.services.tenants.withTenantDb(suite.tenant.id, async ({ query }) => {
      for (const [index, { id }] of licenses.entries()) {
        const stored = { holder_email: spellings[index] ?? null };
        await query.updateTable('licenses').set(stored).where('id', '=', id).execute();
      }
      await foldAddresses(query);
    });
    await expectMerged();
  });

  test('a change reaches every license of the customer, with an audit record and an event for each', async () => {
    const email = address('grace');
    const licenses = [await issue(holderOf(email, 'Grace')), await issue(holderOf(email.toUpperCase()))];
    const target = address('hopper');
    const merged = await issue(holderOf(target, 'Other'));
    const changed = await send('PUT', `/customers/${email}`, { email: target, name: 'Grace Hopper' });
    expect(changed.status).toBe(200);
    expect(changed.body.data).toMatchObject({ email: target, licenses_count: 3 });
    for (const { id } of licenses) {
      const { body } = await send('GET', `/licenses/${id}`);
      expect(body.data.holder).toEqual({ name: 'Grace Hopper', email: target, reference: null });
      expect(await eventsOf(suite.tenant, id)).toEqual([`LICENSE.UPDATED${suffix}`, 'LICENSE.CREATED']);
    }
    expect(await eventsOf(suite.tenant, merged.id)).toEqual(['LICENSE.CREATED']);
    expect((await send('GET', `/customers/${email}`)).status).toBe(404);
    expect((await send('GET', `/licenses?q=${target}`)).body.data).toHaveLength(3);
    expect((await send('GET', `/licenses?q=${email}`)).body.data).toHaveLength(0);
    // Nothing changes, so nothing is recorded.
    expect((await send('PUT', `/customers/${target}`, { name: 'Grace Hopper' })).status).toBe(200);
    expect(await eventsOf(suite.tenant, licenses[0].id)).toHaveLength(2);
    const refused = await send('PUT', `/customers/${target}`, { email: 'no address', licenses_count: 1 });
    expect([refused.status, badFields(refused)]).toEqual([422, ['email', 'licenses_count']]);
  });

  test('an erased customer leaves working licenses, and no trace of its name, address and devices', async () => {
    const email = address('alan');
    const secrets = ['Alan Turing', 'alan-at-home', 'bombe.example', '203.0.113.9', 'customer-1912'];
    const webhook = { url: 'https://hooks.example.com/erased', events: ['webhook.disabled'] };
    await suite.tenant.asOwner('POST', '/webhooks', webhook);
    const headers = { ...suite.tenant.owner.auth, 'idempotency-key': `alan-${surface}` };
    const holder = { name: 'Alan Turing', email, reference: 'customer-1912' };
    const payload = { policy_id: (await issue({})).policy_id, holder };
    const url = '/api/v1/tenant/licenses';
    const license = created(await suite.app.request({ method: 'POST', url, headers, payload }));
    const activated = await suite.app.request({
      method: 'POST',
      url: `/api/v1/integration/licenses/${license.key}/activations`,
      headers: { 'x-api-key': suite.tenant.apiKey },
      remoteAddress: '203.0.113.9',
      payload: { fingerprint: 'bombe', name: 'alan-at-home', hostname: 'bombe.example', components: { disk: 'd1' } },
    });
    const deleted = await issue({ holder: { ...holder, email: email.toUpperCase() } });
    await suite.tenant.asOwner('DELETE', `/licenses/${deleted.id}`);
    const exported = await send('GET', `/customers/${email}/export`);
    for (const secret of [email, ...secrets]) expect(exported.text).toContain(secret);
    expect(exported.body.data.licenses).toMatchObject([{ deleted_at: null }, { deleted_at: expect.any(String) }]);
    expect(exported.body.data.activations).toMatchObject([{ fingerprint: 'bombe', components: { disk: 'd1' } }]);

    expect((await send('DELETE', `/customers/${email.toUpperCase()}`)).status).toBe(200);
    for (const gone of [await send('GET', `/customers/${email}`), await send('DELETE', `/customers/${email}`)]) {
      expect([gone.status, gone.body.error.code]).toEqual([404, 'CUSTOMER.NOT_FOUND']);
    }
    expect((await send('GET', `/customers/${email}/export`)).status).toBe(404);
    expect(await codeOf(license.key, 'bombe')).toBe('LICENSE.VALID');
    expect(await eventsOf(suite.tenant, license.id)).toContain(`LICENSE.HOLDER_ERASED${suffix}`);
    expect(await eventsOf(suite.tenant, activated.body.data.id)).toEqual(['ACTIVATION.CREATED']);
    const stored = await everythingStored(suite.app, suite.tenant.id);
    for (const secret of [email, email.toUpperCase(), ...secrets]) expect(stored).not.toContain(secret);
    expect(stored).toContain(license.id);
  });

  test('bulk operations keep no filter, reason or change that names an erased customer', async () => {
    const email = address('mary');
    const { id } = await issue(holderOf(email, 'Mary Jackson'));
    const bulk = (body: object) => suite.tenant.asOwner('POST', '/bulk-operations', body);
    const filter = { holder_email: email };
    const started = [
      await bulk({ filter, action: { type: 'suspend' }, reason: `Complaint of ${email.toUpperCase()}` }),
      await bulk({ ids: [id], action: { type: 'reinstate' }, reason: `Sorry, ${email}` }),
      await bulk({ ids: [id], action: { type: 'suspend' }, reason: 'Outage of Monday' }),
    ];
    await runTenantJobs(suite.app);
    expect((await send('DELETE', `/customers/${email}`)).status).toBe(200);
    const read = async (answer: Answer) => (await send('GET', `/bulk-operations/${answer.body.data.id}`)).body.data;
    expect(await Promise.all(started.map(read))).toMatchObject([
      { state: 'done', changed: 1, filter: {}, reason: null },
      { state: 'done', changed: 1, filter: null, reason: null },
      { state: 'done', changed: 1, filter: null, reason: 'Outage of Monday' },
    ]);
    const stored = await everythingStored(suite.app, suite.tenant.id);
    for (const secret of [email, email.toUpperCase(), 'Mary Jackson']) expect(stored).not.toContain(secret);
  });

  test('unknown addresses, malformed ones and foreign cursors get a clear error', async () => {
    for (const path of ['nobody@example.com', 'nobody', '%00', 'a'.repeat(400)]) {
      const answer = await send('GET', `/customers/${path}`);
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const licenses = await send('GET', '/licenses?limit=1');
    for (const cursor of [licenses.body.meta.next_cursor, 'x', Buffer.from('%E0%A4%A').toString('base64url')]) {
      const answer = await send('GET', `/customers?cursor=${cursor}`);
      expect([answer.status, badFields(answer)]).toEqual([422, ['cursor']]);
    }
  });
});

test('the pages of the list contain every customer once, in the order of the addresses', async () => {
  const tenant = await createTenant(suite.app, suite.admin, 'Listed');
  const policy = await newPolicy(tenant);
  const names = ['b', 'A', 'a', 'C', 'ä', 'Z', 'zoë+tag', 'x'.repeat(200)];
  for (const name of names) {
    created(await tenant.asOwner('POST', '/licenses', { policy_id: policy.id, ...holderOf(`${name}@example.com`) }));
  }
  created(await tenant.asOwner('POST', '/licenses', { policy_id: policy.id }));
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Answer = await tenant.asOwner('GET', `/customers?limit=2${cursor && `&cursor=${cursor}`}`);
    expect(page.status).toBe(200);
    seen.push(...page.body.data.map(({ email }: { email: string }) => email));
    cursor = page.body.meta.next_cursor;
  }
  const expected = ['a', 'b', 'C', 'x'.repeat(200), 'Z', 'zoë+tag', 'ä'].map((name) => `${name}@example.com`);
  expect(seen).toEqual(expected);
  expect((await suite.tenant.asOwner('GET', '/customers?q=zo%C3%AB')).body.data).toEqual([]);
});
