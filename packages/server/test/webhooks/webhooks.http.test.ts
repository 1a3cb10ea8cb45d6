import { describe, expect, test } from 'vitest';
import { insertRows } from '../../src/db/insert-rows.ts';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import { badFields, created, eventsOf } from '../support/licensing-catalog.ts';

const suite = useTenant();

const url = () => `https://hooks.example.com/${newId()}`;

const newWebhook = async (fields: object = {}) =>
  created(await suite.tenant.asOwner('POST', '/webhooks', { url: url(), ...fields }));

function asAdmin(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) {
  return suite.asAdmin(method, `/tenants/${suite.tenant.id}${path}`, payload);
}

describe('endpoints', () => {
  test('a tenant with 2,000 endpoints cannot create another one until it deletes one', async () => {
    const crowded = await suite.newTenant();
    const { id } = created(await crowded.asOwner('POST', '/webhooks', { url: url() }));
    await suite.app.services.tenants.withTenantDb(crowded.id, (db) =>
      db.transaction(async (tx) => {
        const row = await tx.selectFrom('webhook_endpoints').selectAll().executeTakeFirstOrThrow();
        const others = Array.from({ length: 1999 }, () => ({ ...row, id: newId() }));
        await insertRows(tx, 'webhook_endpoints', others);
      }),
    );
    const create = () => crowded.asOwner('POST', '/webhooks', { url: url() });
    const refused = await create();
    expect([refused.status, refused.body.error.code]).toEqual([403, 'PLAN.LIMIT_REACHED']);
    await crowded.asOwner('DELETE', `/webhooks/${id}`);
    expect((await create()).status).toBe(201);
  });

  test('an endpoint returns its secret once, is changed field by field, and is audited with its changes', async () => {
    const address = url();
    const answer = await suite.tenant.asOwner('POST', '/webhooks', { url: address, description: 'CRM' });
    expect(answer.headers['cache-control']).toBe('no-store');
    const { secret, ...endpoint } = created(answer);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(endpoint).toEqual({
      id: expect.any(String),
      url: address,
      description: 'CRM',
      events: ['*'],
      product_id: null,
      headers: [],
      status: 'enabled',
      disabled_reason: null,
      created_at: expect.any(String),
      updated_at: endpoint.created_at,
    });
    const unused = { failed_deliveries: 0, failing_since: null, disabled_from: null, last_delivery: null };
    expect((await suite.tenant.asOwner('GET', `/webhooks/${endpoint.id}`)).body.data).toEqual(endpoint);
    const read = await suite.tenant.asOwner('GET', `/webhooks/${endpoint.id}?include=details`);
    expect(read.body.data).toEqual({
      ...endpoint,
      previous_secret_expires_at: null,
      health: {
        ...unused,
        is_failing: false,
        retrying_deliveries: 0,
        last_24_hours: { pending: 0, succeeded: 0, failed: 0 },
      },
    });
    const changes = { events: ['license.created'], description: null, status: 'disabled' };
    const changed = (await suite.tenant.asOwner('PUT', `/webhooks/${endpoint.id}`, changes)).body.data;
    expect(changed).toMatchObject({ ...changes, url: address, disabled_reason: 'requested' });
    expect((await suite.tenant.asOwner('PUT', `/webhooks/${endpoint.id}`, changes)).body.data).toEqual(changed);
    expect((await asAdmin('GET', `/webhooks/${endpoint.id}`)).body.data).toEqual(changed);
    const deleted = { deleted: true, id: endpoint.id };
    expect((await suite.tenant.asOwner('DELETE', `/webhooks/${endpoint.id}`)).body.data).toEqual(deleted);
    const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${endpoint.id}`);
    const records: { event: string; changes: { field: string }[] }[] = body.data;
    expect(records.map((record) => [record.event, record.changes.map(({ field }) => field)])).toEqual([
      ['WEBHOOK.DELETED', []],
      ['WEBHOOK.UPDATED', ['description', 'events', 'status', 'disabled_reason']],
      ['WEBHOOK.CREATED', ['url', 'description', 'events', 'headers', 'status']],
    ]);
  });

  test('a deleted endpoint is not found by any action', async () => {
    const { id } = await newWebhook();
    await suite.tenant.asOwner('DELETE', `/webhooks/${id}`);
    const since = '2026-01-01T00:00:00Z';
    const answers = await Promise.all([
      suite.tenant.asOwner('GET', `/webhooks/${id}`),
      suite.tenant.asOwner('PUT', `/webhooks/${id}`, {}),
      suite.tenant.asOwner('DELETE', `/webhooks/${id}`),
      suite.tenant.asOwner('POST', `/webhooks/${id}/test`),
      suite.tenant.asOwner('POST', `/webhooks/${id}/rotate-secret`),
      suite.tenant.asOwner('POST', `/webhooks/${id}/recover`, { since }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      answers.map(() => [404, 'RESOURCE.NOT_FOUND']),
    );
    const { data } = (await suite.tenant.asOwner('GET', '/webhooks?limit=100')).body;
    expect(data.map((one: { id: string }) => one.id)).not.toContain(id);
  });

  test('an endpoint without events gets the default events of the settings, also when its events are cleared', async () => {
    const other = await suite.newTenant();
    await other.asOwner('PUT', '/settings', { webhook_event_defaults: ['license.expired', 'license.revoked'] });
    const made = created(await other.asOwner('POST', '/webhooks', { url: url(), events: null }));
    expect(made.events).toEqual(['license.expired', 'license.revoked']);
    await other.asOwner('PUT', `/webhooks/${made.id}`, { events: ['*'] });
    const cleared = await other.asOwner('PUT', `/webhooks/${made.id}`, { events: null });
    expect(cleared.body.data.events).toEqual(['license.expired', 'license.revoked']);
  });

  test('a repeated creation with the same Idempotency-Key returns the same endpoint without its secret', async () => {
    const request = {
      method: 'POST',
      url: '/api/v1/tenant/webhooks',
      headers: { ...suite.tenant.owner.auth, 'idempotency-key': newId() },
      payload: { url: url() },
    } as const;
    const first = await suite.app.request(request);
    const replay = await suite.app.request(request);
    expect([first.status, replay.status, replay.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
    expect(replay.body.data).toEqual({ ...first.body.data, secret: null });
  });

  test('rotation gives an endpoint a new secret, which is returned once', async () => {
    const { id, secret } = await newWebhook();
    const rotated = await suite.tenant.asOwner('POST', `/webhooks/${id}/rotate-secret`);
    expect(rotated.body.data.secret).toMatch(/^whsec_/);
    expect(rotated.body.data.secret).not.toBe(secret);
    const { text, body } = await suite.tenant.asOwner('GET', `/webhooks/${id}?include=details`);
    expect(text).not.toContain('whsec_');
    const expiresAt = Date.parse(rotated.body.data.updated_at) + 86_400_000;
    expect(Date.parse(body.data.previous_secret_expires_at)).toBe(expiresAt);
    expect(await eventsOf(suite.tenant, id)).toEqual(['WEBHOOK.SECRET_ROTATED', 'WEBHOOK.CREATED']);
  });

  test('endpoints are listed newest first and can be filtered by status', async () => {
    const other = await suite.newTenant();
    const make = async () => created(await other.asOwner('POST', '/webhooks', { url: url() })).id;
    const ids = [await make(), await make(), await make()];
    await other.asOwner('PUT', `/webhooks/${ids[1]}`, { status: 'disabled' });
    const listed = async (query: string) =>
      (await other.asOwner('GET', `/webhooks${query}`)).body.data.map((one: { id: string }) => one.id);
    expect(await listed('')).toEqual([ids[2], ids[1], ids[0]]);
    expect(await listed('?status=disabled')).toEqual([ids[1]]);
    expect(await listed('?status=enabled&limit=1')).toEqual([ids[2]]);
  });

  const refusedUrls = [
    'http://hooks.example.com/',
    'https://user:secret@hooks.example.com/',
    'https://hooks.example.com/#a',
    `https://hooks.example.com/${'a'.repeat(2048)}`,
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::ffff:169.254.169.254]/',
    'https://localhost/',
    'nonsense',
    '',
  ];

  test.each(refusedUrls)('an endpoint with the URL %s is refused on creation and on change', async (bad) => {
    const { id } = await newWebhook();
    const answers = [
      await suite.tenant.asOwner('POST', '/webhooks', { url: bad }),
      await suite.tenant.asOwner('PUT', `/webhooks/${id}`, { url: bad }),
    ];
    for (const answer of answers) expect([answer.status, badFields(answer)]).toEqual([422, ['url']]);
  });

  test('an endpoint of every event and of another one is refused', async () => {
    const refused = await suite.tenant.asOwner('POST', '/webhooks', { url: url(), events: ['*', 'license.created'] });
    expect([refused.status, badFields(refused)]).toEqual([422, ['events']]);
  });
});

describe('access', () => {
  test('an admin may do everything with endpoints, and the audit log names the admin', async () => {
    const made = created(await asAdmin('POST', '/webhooks', { url: url() }));
    expect((await asAdmin('PUT', `/webhooks/${made.id}`, { description: 'By an admin' })).status).toBe(200);
    const tested = await asAdmin('POST', `/webhooks/${made.id}/test`);
    expect(tested.body.data).toMatchObject({ webhook_id: made.id, status: 'pending' });
    expect((await asAdmin('POST', `/webhooks/${made.id}/rotate-secret`)).status).toBe(200);
    expect((await asAdmin('DELETE', `/webhooks/${made.id}`)).status).toBe(200);
    expect(await eventsOf(suite.tenant, made.id)).toEqual([
      'WEBHOOK.DELETED_BY_ADMIN',
      'WEBHOOK.SECRET_ROTATED_BY_ADMIN',
      'WEBHOOK.TESTED_BY_ADMIN',
      'WEBHOOK.UPDATED_BY_ADMIN',
      'WEBHOOK.CREATED_BY_ADMIN',
    ]);
    const delivery = await asAdmin('GET', `/webhook-deliveries/${tested.body.data.id}`);
    expect(delivery.body.data.event_type).toBe('webhook.test');
    const resent = await asAdmin('POST', `/webhook-deliveries/${tested.body.data.id}/resend`);
    expect([resent.status, resent.body.error.code]).toEqual([404, 'ROUTE.NOT_FOUND']);
  });
});

test('deliveries are listed newest first in pages, and can be filtered by endpoint, status, event type and time', async () => {
  const one = await newWebhook();
  const other = await newWebhook();
  const send = async (id: string) => (await suite.tenant.asOwner('POST', `/webhooks/${id}/test`)).body.data.id;
  const ids = [await send(one.id), await send(one.id), await send(other.id)];
  const list = async (query: string) => (await suite.tenant.asOwner('GET', `/webhook-deliveries?${query}`)).body;
  const idsOf = async (query: string) => (await list(query)).data.map((delivery: { id: string }) => delivery.id);
  expect(await idsOf(`webhook_id=${one.id}`)).toEqual([ids[1], ids[0]]);
  expect(await idsOf(`webhook_id=${one.id}&status=pending&event_type=webhook.test`)).toEqual([ids[1], ids[0]]);
  expect(await idsOf(`webhook_id=${one.id}&status=failed`)).toEqual([]);
  expect(await idsOf('event_type=license.created')).toEqual([]);
  const page = await list(`webhook_id=${one.id}&limit=1`);
  expect(page.data[0].id).toBe(ids[1]);
  expect(await idsOf(`webhook_id=${one.id}&limit=1&cursor=${page.meta.next_cursor}`)).toEqual([ids[0]]);
  expect(page.data[0]).not.toHaveProperty('attempts');
  const newest = page.data[0].created_at;
  expect(await idsOf(`webhook_id=${one.id}&from=${newest}`)).toEqual([ids[1]]);
  expect(await idsOf(`webhook_id=${one.id}&to=${newest}`)).toEqual([ids[0]]);
  for (const query of ['from=yesterday', 'status=lost', 'event_type=x', 'webhook_id=x', 'tenant=x']) {
    expect((await suite.tenant.asOwner('GET', `/webhook-deliveries?${query}`)).status, query).toBe(422);
  }
});
