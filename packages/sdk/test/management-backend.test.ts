import { describe, expect, test } from 'vitest';
import { runTenantJobs } from '../../server/test/jobs/job-rows.ts';
import { losingFirstResponse, useLiveService } from './support/live-service.ts';
import { collect, newPolicyOf } from './support/managed.ts';

const service = useLiveService();

const newPolicy = (fields?: object) => newPolicyOf(service.management(), fields);

describe('what a backend does for one customer', () => {
  test('a device is activated, checked, and certified, and the holder gets a mail', async () => {
    const { licenses, mails, settings } = service.management();
    await settings.update({ supportEmail: 'help@example.com' });
    const policy = await newPolicy({ maxActivations: 1, offlineTtlSecondsMax: 86_400 });
    const license = await licenses.create({ policyId: policy.id, holder: { email: 'ada@example.com' } });
    const device = await licenses.activate(license.id, { fingerprint: 'device-1' });
    expect(device).toMatchObject({ fingerprint: 'device-1', status: 'active' });
    expect(await licenses.validate(license.id, { fingerprint: 'device-1' })).toMatchObject({ code: 'LICENSE.VALID' });
    expect((await licenses.issueCertificate(license.id, { fingerprint: 'device-1' })).certificate).toMatch(/^ey/);
    expect(await licenses.checkEntitlements(license.id)).toEqual({ entitlements: [] });
    await service.client().validate(license.key, { fingerprint: 'device-1' });
    await service.app.services.deviceHistory.flush();
    expect(await licenses.checks(license.id, { isAllowed: true })).toMatchObject([{ fingerprint: 'device-1' }]);
    expect(await licenses.getSale(license.id)).toBeNull();
    const mail = await mails.send({ licenseId: license.id });
    expect(await mails.get(mail.id)).toMatchObject({ recipient: 'ada@example.com' });
    await expect(mails.resend(mail.id)).rejects.toMatchObject({ status: 409 });
  });

  test('a customer is read, renamed, noted, exported and erased', async () => {
    const { licenses, customers } = service.management();
    const policy = await newPolicy();
    const email = 'grace@example.com';
    await licenses.create({ policyId: policy.id, holder: { name: 'Grace', email } });
    expect(await collect(customers.list({ q: 'grace' }))).toMatchObject([{ email, licensesCount: 1 }]);
    expect(await customers.update(email, { name: 'Grace Hopper' })).toMatchObject({ name: 'Grace Hopper' });
    const note = await customers.createNote(email, { text: 'Called.' });
    expect(await collect(customers.listNotes(email))).toMatchObject([{ id: note.id, text: 'Called.' }]);
    expect(await customers.export(email)).toMatchObject({ notes: [{ text: 'Called.' }] });
    await customers.deleteNote(email, note.id);
    await customers.erase(email);
    await expect(customers.get(email)).rejects.toMatchObject({ status: 404 });
  });

  test('products and policies are archived, and an API key is renamed', async () => {
    const { products, policies, licenses, apiKeys } = service.management();
    const policy = await newPolicy();
    expect((await policies.archive(policy.id)).archivedAt).not.toBeNull();
    await expect(licenses.create({ policyId: policy.id })).rejects.toMatchObject({ status: 422 });
    expect((await policies.unarchive(policy.id)).archivedAt).toBeNull();
    expect((await products.archive(policy.productId)).archivedAt).not.toBeNull();
    expect((await products.unarchive(policy.productId)).archivedAt).toBeNull();
    const key = await apiKeys.create({ name: 'Shop', scopes: ['licenses:validate'] });
    expect(await apiKeys.update(key.id, { name: 'Store' })).toMatchObject({ name: 'Store' });
  });
});

describe('many licenses', () => {
  test('a batch is created, exported, changed, taken back, and its preview changes nothing', async () => {
    const { licenseBatches, bulkOperations, licenses } = service.management();
    const policy = await newPolicy();
    const { id } = await licenseBatches.create({ policyId: policy.id, count: 20, name: 'Reseller' });
    await runTenantJobs(service.app);
    expect(await licenseBatches.get(id)).toMatchObject({ state: 'done' });
    const keys = await new Response(await licenseBatches.exportKeys(id, { format: 'csv' })).text();
    expect(keys.trim().split('\n')).toHaveLength(21);
    const mistyped = await licenseBatches.create({ policyId: policy.id, count: 2000, name: 'Reseller' });
    expect(await licenseBatches.cancel(mistyped.id)).toMatchObject({ state: 'failed', issued: 0 });
    const change = { filter: { batchId: id }, action: { type: 'suspend' }, reason: 'Unpaid' } as const;
    expect(await bulkOperations.preview(change)).toMatchObject({ total: 20, changed: 20 });
    const operation = await bulkOperations.create(change);
    await runTenantJobs(service.app);
    expect(await bulkOperations.get(operation.id)).toMatchObject({ state: 'done', changed: 20 });
    expect(await collect(licenses.list({ batchId: id, status: 'suspended' }))).toHaveLength(20);
    const changes = await new Response(await bulkOperations.exportChanges(operation.id)).text();
    // The status of each license, and its reason.
    expect(changes.trim().split('\n')).toHaveLength(40);
    expect(await bulkOperations.undo(operation.id)).toMatchObject({ undoes: operation.id });
  });

  test('a change whose response is lost happens once', async () => {
    const policy = await newPolicy();
    const license = await service.management().licenses.create({ policyId: policy.id });
    const { bulkOperations } = service.management(losingFirstResponse());
    const change = { ids: [license.id], action: { type: 'extend', durationDays: 30 } } as const;
    const { id } = await bulkOperations.create(change);
    await runTenantJobs(service.app);
    expect(await service.management().bulkOperations.get(id)).toMatchObject({ state: 'done' });
    const { expiresAt } = await service.management().licenses.get(license.id);
    expect(Math.round((Date.parse(expiresAt ?? '') - Date.parse(license.expiresAt ?? '')) / 86_400_000)).toBe(30);
  });

  test('an import continues after its response, and a trial of one creates nothing', async () => {
    const { licenses } = service.management();
    const policy = await newPolicy();
    const row = `${JSON.stringify({ policy_id: policy.id })}\n`;
    expect(await licenses.import(row, { dryRun: true })).toMatchObject({ created: 1 });
    expect(await collect(licenses.list({ policyId: policy.id }))).toEqual([]);
    const { id } = await licenses.startImport(row.repeat(3));
    await runTenantJobs(service.app);
    expect(await licenses.getImport(id)).toMatchObject({ state: 'done', created: 3 });
    const stopped = await licenses.startImport(row);
    expect(await licenses.cancelImport(stopped.id)).toMatchObject({ state: 'failed', created: 0 });
    expect(await collect(licenses.list({ policyId: policy.id }))).toHaveLength(3);
  });
});

test('a shop is connected, its offer maps a product, and a test sale creates a license', async () => {
  const { connections } = service.management();
  const policy = await newPolicy();
  const connection = await connections.create({ provider: 'lemonsqueezy', name: 'Shop' });
  const offer = await connections.createOffer(connection.id, { externalId: '42', policyId: policy.id });
  expect(await collect(connections.listOffers(connection.id))).toMatchObject([{ id: offer.id }]);
  expect(await connections.updateOffer(connection.id, offer.id, { quantity: 'licenses' })).toMatchObject({
    quantity: 'licenses',
  });
  expect(await collect(connections.listSales(connection.id))).toEqual([]);
  await connections.deleteOffer(connection.id, offer.id);
  expect(await connections.update(connection.id, { status: 'disabled' })).toMatchObject({ status: 'disabled' });
  await connections.delete(connection.id);
});
