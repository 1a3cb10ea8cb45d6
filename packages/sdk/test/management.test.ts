import { describe, expect, test } from 'vitest';
import { ManagementClient } from '../src/index.ts';
import { losingFirstResponse, useLiveService } from './support/live-service.ts';
import { collect, newPolicyOf } from './support/managed.ts';

const service = useLiveService({ WEBHOOK_ALLOW_HTTP: 'true' });

const newPolicy = (fields?: object) => newPolicyOf(service.management(), fields);

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

describe('licenses', () => {
  test('are created, read, changed, suspended, reinstated, renewed, given a new key, revoked and deleted', async () => {
    const { licenses } = service.management();
    const policy = await newPolicy({ maxActivations: 3 });
    const metadata = { order_id: 7, customerName: 'Ada' };
    const license = await licenses.create({ policyId: policy.id, holder: { name: 'Ada' }, metadata });
    expect(license).toMatchObject({ policyId: policy.id, status: 'active', holder: { name: 'Ada' }, metadata });
    expect(await licenses.get(license.id)).toEqual(license);
    expect(await licenses.update(license.id, { maxActivations: 5 })).toMatchObject({ maxActivations: 5, metadata });
    expect(await licenses.suspend(license.id)).toMatchObject({ status: 'suspended' });
    expect(await licenses.reinstate(license.id)).toMatchObject({ status: 'active' });
    const renewed = await licenses.renew(license.id);
    expect(Date.parse(renewed.expiresAt ?? '')).toBeGreaterThan(Date.parse(license.expiresAt ?? ''));
    expect((await licenses.rotateKey(license.id)).key).not.toBe(license.key);
    expect(await licenses.revoke(license.id)).toMatchObject({ status: 'revoked' });
    expect(await licenses.delete(license.id)).toEqual({ deleted: true, id: license.id });
    await expect(licenses.get(license.id)).rejects.toMatchObject({ status: 404 });
  });

  test('a list reads page after page, with filters, and ends when the caller stops', async () => {
    const requests: string[] = [];
    const { licenses } = service.management((url, init) => {
      requests.push(url);
      return fetch(url, init);
    });
    const policy = await newPolicy();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift((await licenses.create({ policyId: policy.id })).id);
    requests.length = 0;
    const list = licenses.list({ policyId: policy.id, limit: 2 });
    expect(requests).toEqual([]);
    expect((await collect(list)).map(({ id }) => id)).toEqual(ids);
    expect(requests).toHaveLength(3);
    requests.length = 0;
    for await (const { id } of list) if (id === ids[1]) break;
    expect(requests).toHaveLength(1);
    const { data, nextCursor } = await list.page();
    expect(data).toHaveLength(2);
    expect((await list.page(nextCursor ?? '')).data.map(({ id }) => id)).toEqual(ids.slice(2, 4));
  });

  test('a creation whose response is lost creates one license', async () => {
    const policy = await newPolicy();
    const created = await service.management(losingFirstResponse()).licenses.create({ policyId: policy.id });
    const all = await collect(service.management().licenses.list({ policyId: policy.id }));
    expect(all.map(({ id }) => id)).toEqual([created.id]);
  });

  test('a renewal and a new key whose responses are lost happen once', async () => {
    const policy = await newPolicy();
    const license = await service.management().licenses.create({ policyId: policy.id });
    const renewed = await service.management(losingFirstResponse()).licenses.renew(license.id);
    const days = (Date.parse(renewed.expiresAt ?? '') - Date.parse(license.expiresAt ?? '')) / 86_400_000;
    expect(days).toBe(365);
    const { key } = await service.management(losingFirstResponse()).licenses.rotateKey(license.id);
    expect(await service.management().licenses.get(license.id)).toMatchObject({ key, expiresAt: renewed.expiresAt });
  });

  test('a new secret whose response is lost is not shown, and the next one is', async () => {
    const { webhooks } = service.management();
    const { id } = await webhooks.create({ url: 'https://hooks.example.com/lost' });
    expect(await service.management(losingFirstResponse()).webhooks.rotateSecret(id)).toMatchObject({ secret: null });
    expect((await webhooks.rotateSecret(id)).secret).toMatch(/^whsec_/);
  });
});

describe('import and export', () => {
  async function* rows(policyId: string, count: number) {
    for (let row = 0; row < count; row += 1)
      yield `${JSON.stringify({ policy_id: policyId, holder: { name: `Ädä ${row}` } })}\n`;
  }

  test('a stream of NDJSON is imported, and its export is a stream that can be imported again', async () => {
    const { licenses } = service.management();
    const policy = await newPolicy();
    expect(await licenses.import(rows(policy.id, 20))).toEqual({ created: 20, failed: 0, errors: [] });
    const exported = await textOf(await licenses.export({ policyId: policy.id }));
    expect(exported.trim().split('\n')).toHaveLength(20);
    for (const license of await collect(licenses.list({ policyId: policy.id, limit: 100 })))
      await licenses.delete(license.id);
    const bytes = new TextEncoder().encode(exported);
    expect(await licenses.import(new Blob([bytes]).stream())).toMatchObject({ created: 20 });
  });

  test('CSV is imported and exported', async () => {
    const { licenses } = service.management();
    const policy = await newPolicy();
    const result = await licenses.import(`policy_id,holder_name\n${policy.id},Ada\n`, { contentType: 'text/csv' });
    expect(result).toMatchObject({ created: 1 });
    const exported = await textOf(await licenses.export({ format: 'csv', policyId: policy.id }));
    expect(exported.split('\n')[0]).toContain('holder_name');
  });

  test('an invalid row refuses the import with its number, and a partial import creates the others', async () => {
    const { licenses } = service.management();
    const policy = await newPolicy();
    const text = `{"policy_id":"${policy.id}"}\n{"policy_id":"${policy.id}","colour":"red"}\n`;
    await expect(licenses.import(text)).rejects.toMatchObject({ code: 'IMPORT.REJECTED', details: [{ row: 2 }] });
    const result = await licenses.import(text, { partial: true });
    expect(result).toMatchObject({ created: 1, failed: 1, errors: [{ row: 2 }] });
  });

  test('an import that is sent twice with one idempotency key creates its licenses once', async () => {
    const policy = await newPolicy();
    const { licenses } = service.management(losingFirstResponse());
    expect(await licenses.import(`{"policy_id":"${policy.id}"}\n`)).toMatchObject({ created: 1 });
    expect(await collect(service.management().licenses.list({ policyId: policy.id }))).toHaveLength(1);
  });

  test('audit records are exported, with the filters of the list', async () => {
    const auditLogs = service.management().auditLogs;
    const records = await textOf(await auditLogs.export({ event: 'LICENSE.CREATED' }));
    expect(records.split('\n').filter(Boolean).length).toBeGreaterThan(0);
    expect(records).not.toContain('PRODUCT.CREATED');
    expect((await textOf(await auditLogs.export({ format: 'csv' }))).split('\n')[0]).toContain('occurred_at');
  });

  test('an aborted export ends its stream', async () => {
    const controller = new AbortController();
    const stream = await service.management().licenses.export({}, { signal: controller.signal });
    controller.abort(new Error('The user left.'));
    await expect(textOf(stream)).rejects.toThrow('The user left.');
  });
});

describe('the other resources', () => {
  test('products, policies and entitlements are created, listed, changed and deleted', async () => {
    const { products, policies, entitlements } = service.management();
    const policy = await newPolicy();
    expect(await policies.update(policy.id, { name: 'Monthly', durationDays: 30 })).toMatchObject({ durationDays: 30 });
    expect((await collect(policies.list({ productId: policy.productId }))).map(({ id }) => id)).toEqual([policy.id]);
    expect(await products.get(policy.productId)).toMatchObject({ name: 'Editor' });
    const entitlement = await entitlements.create({ code: 'cloud', name: 'Cloud', type: 'boolean' });
    expect(await collect(entitlements.list({ code: 'cloud' }))).toEqual([entitlement]);
    await entitlements.delete(entitlement.id);
    await policies.delete(policy.id);
    await products.delete(policy.productId);
  });

  test('activations are listed and freed', async () => {
    const { activations } = service.management();
    const license = await service.license();
    const { id } = await service.client().activate(license.key, { fingerprint: 'device' });
    expect(await collect(activations.list({ licenseId: license.id }))).toMatchObject([{ id, status: 'active' }]);
    await activations.delete(id);
    expect(await activations.get(id)).toMatchObject({ status: 'deactivated' });
  });

  test('usage is listed in buckets', async () => {
    const license = await service.license();
    await service.client().reportUsage(license.key, [{ entitlement: 'renders', quantity: 2 }]);
    const filters = { licenseId: license.id, interval: 'day', from: new Date(Date.now() - 86_400_000) } as const;
    const buckets = await collect(service.management().usage.list(filters));
    expect(buckets).toMatchObject([{ entitlement: 'renders', quantity: 2, licenseId: license.id }]);
  });

  test('an API key is created with its secret, works, and is revoked', async () => {
    const { apiKeys } = service.management();
    const created = await apiKeys.create({ name: 'Shop', scopes: ['licenses:validate'] });
    expect(created.key).toMatch(/^vx_/);
    expect(await apiKeys.get(created.id)).toMatchObject({ hint: created.hint, status: 'active' });
    await apiKeys.delete(created.id);
    expect(await apiKeys.get(created.id)).toMatchObject({ status: 'revoked' });
  });

  test('settings are read and changed', async () => {
    const { settings } = service.management();
    expect(await settings.update({ supportEmail: 'help@example.com' })).toMatchObject({
      supportEmail: 'help@example.com',
    });
    expect(await settings.get()).toMatchObject({ supportEmail: 'help@example.com' });
  });

  test('webhooks are created with a secret, tested, and given a new secret', async () => {
    const { webhooks, webhookDeliveries } = service.management();
    const webhook = await webhooks.create({ url: 'https://hooks.example.com/x', events: ['license.created'] });
    expect(webhook.secret).toMatch(/^whsec_/);
    expect(await webhooks.update(webhook.id, { description: 'Shop' })).toMatchObject({ description: 'Shop' });
    const delivery = await webhooks.test(webhook.id);
    expect(await webhookDeliveries.get(delivery.id)).toMatchObject({ eventType: 'webhook.test' });
    expect(await collect(webhookDeliveries.list({ webhookId: webhook.id }))).toHaveLength(1);
    expect((await webhooks.rotateSecret(webhook.id)).secret).not.toBe(webhook.secret);
    expect(await webhooks.recover(webhook.id, { since: new Date(), dryRun: true })).toEqual({ count: 0 });
    await webhooks.delete(webhook.id);
  });

  test('notifications are created and marked as read, and the audit log says who did what', async () => {
    const { notifications, auditLogs } = service.management();
    const { id } = await notifications.create({ title: 'Release', body: 'Version 2 is out.' });
    expect((await notifications.markRead(id)).readAt).not.toBeNull();
    expect(await notifications.markAllRead()).toMatchObject({ count: expect.any(Number) });
    expect((await collect(notifications.list())).map((one) => one.id)).toContain(id);
    const license = await service.license();
    expect(await collect(auditLogs.list({ resourceId: license.id }))).toMatchObject([{ event: 'LICENSE.CREATED' }]);
  });
});

test('an unknown token is an error that does not contain the token', async () => {
  const accessToken = `service_${'0'.repeat(64)}`;
  const { products } = new ManagementClient({ baseUrl: service.baseUrl, accessToken });
  const failure = await products.get('1').catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'AUTH.INVALID_TOKEN', status: 401 });
  expect(`${JSON.stringify(failure)} ${String((failure as Error).stack)}`).not.toContain(accessToken);
});
