import { describe, expect, test } from 'vitest';
import type { LicensingError, List, ManagementClient } from '../src/index.ts';
import { useLiveService } from './support/live-service.ts';

const service = useLiveService({ WEBHOOK_ALLOW_HTTP: 'true' });

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    ({ code, status }: LicensingError) => `${status} ${code}`,
  );

/** Writes of every resource that has some, each with what it needs. */
const writes: [string, (management: ManagementClient, ids: Readonly<Record<string, string>>) => Promise<unknown>][] = [
  ['products.create', ({ products }) => products.create({ code: `p-${crypto.randomUUID()}`, name: 'Viewer' })],
  ['products.update', ({ products }, { product = '' }) => products.update(product, { name: 'Editor 2' })],
  [
    'policies.create',
    ({ policies }, { product = '' }) =>
      policies.create({ productId: product, code: `p-${crypto.randomUUID()}`, name: 'Trial' }),
  ],
  ['policies.update', ({ policies }, { policy = '' }) => policies.update(policy, { name: 'Monthly' })],
  ['licenses.create', ({ licenses }, { policy = '' }) => licenses.create({ policyId: policy })],
  ['licenses.update', ({ licenses }, { license = '' }) => licenses.update(license, { maxActivations: 9 })],
  ['licenses.import', ({ licenses }, { policy = '' }) => licenses.import(`{"policy_id":"${policy}"}\n`)],
  ['licenses.suspend', ({ licenses }, { license = '' }) => licenses.suspend(license)],
  ['licenses.reinstate', ({ licenses }, { license = '' }) => licenses.reinstate(license)],
  ['activations.delete', ({ activations }, { activation = '' }) => activations.delete(activation)],
  [
    'entitlements.create',
    ({ entitlements }) => entitlements.create({ code: `e-${crypto.randomUUID()}`, name: 'Cloud', type: 'boolean' }),
  ],
  ['apiKeys.create', ({ apiKeys }) => apiKeys.create({ name: 'Shop' })],
  ['settings.update', ({ settings }) => settings.update({ supportEmail: 'help@example.com' })],
  [
    'webhooks.create',
    ({ webhooks }) => webhooks.create({ url: 'https://hooks.example.com/x', events: ['license.created'] }),
  ],
  ['webhooks.update', ({ webhooks }, { webhook = '' }) => webhooks.update(webhook, { description: 'Shop' })],
  ['webhooks.test', ({ webhooks }, { webhook = '' }) => webhooks.test(webhook)],
  ['notifications.create', ({ notifications }) => notifications.create({ title: 'Release', body: 'Version 2.' })],
  ['webhooks.delete', ({ webhooks }, { webhook = '' }) => webhooks.delete(webhook)],
  ['licenses.revoke', ({ licenses }, { license = '' }) => licenses.revoke(license)],
  ['licenses.delete', ({ licenses }, { license = '' }) => licenses.delete(license)],
];

const lists: [string, (management: ManagementClient) => List<unknown>][] = [
  ['products', ({ products }) => products.list()],
  ['policies', ({ policies }) => policies.list()],
  ['licenses', ({ licenses }) => licenses.list()],
  ['activations', ({ activations }) => activations.list()],
  ['entitlements', ({ entitlements }) => entitlements.list()],
  ['usage', ({ usage }) => usage.list()],
  ['apiKeys', ({ apiKeys }) => apiKeys.list()],
  ['webhooks', ({ webhooks }) => webhooks.list()],
  ['webhookDeliveries', ({ webhookDeliveries }) => webhookDeliveries.list()],
  ['notifications', ({ notifications }) => notifications.list()],
  ['auditLogs', ({ auditLogs }) => auditLogs.list()],
];

/** Creates one of each resource that the writes need, with the token of a person. */
async function resources(): Promise<Record<string, string>> {
  const { products, policies, licenses, webhooks } = service.management();
  const code = `p-${crypto.randomUUID()}`;
  const product = await products.create({ code, name: 'Editor' });
  const policy = await policies.create({ productId: product.id, code, name: 'Yearly', durationDays: 365 });
  const license = await licenses.create({ policyId: policy.id });
  const activation = await service.client().activate(license.key, { fingerprint: 'device' });
  const webhook = await webhooks.create({ url: 'https://hooks.example.com/y', events: ['license.created'] });
  const ids = { product, policy, license, activation, webhook };
  return Object.fromEntries(Object.entries(ids).map(([name, { id }]) => [name, id]));
}

describe('an access token', () => {
  test('of the role admin may write every resource and read every list', async () => {
    const { management } = await service.automation('admin');
    const ids = await resources();
    for (const [name, write] of writes)
      expect([name, await codeOf(write(management, ids))]).toEqual([name, 'accepted']);
    for (const [name, list] of lists) expect([name, await codeOf(list(management).page())]).toEqual([name, 'accepted']);
  });

  test('of the role viewer may read every list, and each write is refused and changes nothing', async () => {
    const { management } = await service.automation('viewer');
    const ids = await resources();
    for (const [name, list] of lists) expect([name, await codeOf(list(management).page())]).toEqual([name, 'accepted']);
    for (const [name, write] of writes)
      expect([name, await codeOf(write(management, ids))]).toEqual([name, '403 AUTH.ROLE_REQUIRED']);
    expect(await management.licenses.get(ids['license'] ?? '')).toMatchObject({
      status: 'active',
      maxActivations: null,
      activationsCount: 1,
    });
    expect(await management.settings.get()).toBeTypeOf('object');
  });

  test.each(['tenant/members', 'tenant/access-tokens', 'billing/invoices', 'account'])(
    'of the role admin does not reach /%s',
    async (path) => {
      const { token } = await service.automation('admin');
      const response = await fetch(`${service.baseUrl}/api/v1/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await response.json()).toMatchObject({ error: { code: 'AUTH.ROLE_REQUIRED' } });
      expect(response.status).toBe(403);
    },
  );

  test('that was revoked is refused by the next call, with an error that does not contain it', async () => {
    const { id, token, management } = await service.automation('admin');
    const [first] = (await management.products.list({ limit: 1 }).page()).data;
    await service.tenant.asOwner('DELETE', `/access-tokens/${id}`);
    const failure: unknown = await management.products.get(first?.id ?? '1').catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'LicensingError', code: 'AUTH.INVALID_TOKEN', status: 401 });
    expect(`${JSON.stringify(failure)} ${String(failure)}`).not.toContain(token);
  });

  test('is named in the audit log as the actor', async () => {
    const { id, management } = await service.automation('admin');
    const { policy = '' } = await resources();
    const license = await management.licenses.create({ policyId: policy });
    const { data } = await management.auditLogs.list({ resourceId: license.id }).page();
    expect(data).toMatchObject([{ event: 'LICENSE.CREATED', actorType: 'user', actorId: id }]);
  });
});
