import { beforeEach, describe, expect, test } from 'vitest';
import { type TestTenant, useAdmin } from '../support/accounts.ts';
import { badFields, newLicense } from '../support/licensing-catalog.ts';

const suite = useAdmin();
let tenant: TestTenant;

/** Tests share a tenant until one of them changes it. */
let isChanged = true;

beforeEach(async () => {
  if (isChanged) tenant = await suite.newTenant('Acme');
  isChanged = false;
});

type Surface = 'tenant' | 'admin';

async function send(surface: Surface, method: 'GET' | 'PUT', payload?: object) {
  const ofSurface = {
    tenant: { url: '/api/v1/tenant/settings', headers: tenant.owner.auth },
    admin: { url: `/api/v1/admin/tenants/${tenant.id}/settings`, headers: suite.admin.auth },
  };
  const answer = await suite.app.request({ method, ...ofSurface[surface], ...(payload && { payload }) });
  if (method === 'PUT' && answer.status === 200) isChanged = true;
  return answer;
}

async function changesOf(event: string) {
  const { body } = await tenant.asOwner('GET', `/audit-logs?event=${event}`);
  return body.data.map(({ changes }: { changes: object[] }) => changes);
}

const defaults = {
  name: 'Acme',
  timezone: 'UTC',
  support_email: null,
  license_key_prefix: null,
  expiring_soon_days: 14,
  notification_emails: [],
  webhook_event_defaults: ['*'],
  retention_days: { audit: 365, usage: 400, deliveries: 30, mails: 180, sale_messages: 90, checks: 30 },
  trials_per_day_max: 1000,
  trials_per_address_max: 20,
};

const everyField = {
  name: 'Acme Ltd',
  timezone: 'Europe/Berlin',
  support_email: 'help@example.com',
  license_key_prefix: 'ACME',
  expiring_soon_days: 30,
  notification_emails: ['a@example.com', 'b@example.com'],
  webhook_event_defaults: ['license.created', 'activation.expired'],
  retention_days: { audit: 30, usage: 36, deliveries: 1, mails: 30, sale_messages: 7, checks: 1 },
  trials_per_day_max: 5,
  trials_per_address_max: 0,
};

describe.each([
  ['tenant', 'SETTINGS.UPDATED'],
  ['admin', 'SETTINGS.UPDATED_BY_ADMIN'],
] as const)('through the %s surface', (surface, event) => {
  test('settings have defaults, keep every field that is set, and return to the defaults by null', async () => {
    expect((await send(surface, 'GET')).body.data).toEqual(defaults);
    const changed = await send(surface, 'PUT', everyField);
    expect([changed.status, changed.body.data]).toEqual([200, everyField]);
    expect((await send(surface, 'GET')).body.data).toEqual(everyField);
    const { name: _name, ...nullable } = defaults;
    const nulls = Object.fromEntries(Object.keys(nullable).map((field) => [field, null]));
    expect((await send(surface, 'PUT', nulls)).body.data).toEqual({ ...defaults, name: 'Acme Ltd' });
    expect((await send(surface, 'GET')).body.data).toEqual({ ...defaults, name: 'Acme Ltd' });
  });

  test('an update changes and audits only the fields sent, the name in a record of its own', async () => {
    await send(surface, 'PUT', { retention_days: { usage: 90 }, expiring_soon_days: 14 });
    await send(surface, 'PUT', {});
    const changed = await send(surface, 'PUT', { name: 'New', retention_days: { usage: null, audit: 40 } });
    const retention = { audit: 40, usage: 400, deliveries: 30, mails: 180, sale_messages: 90, checks: 30 };
    expect(changed.body.data).toEqual({ ...defaults, name: 'New', retention_days: retention });
    const first = { ...defaults.retention_days, usage: 90 };
    expect(await changesOf(event)).toEqual([
      [{ field: 'retention_days', old: first, new: retention }],
      [{ field: 'name', old: 'Acme', new: 'New' }],
      [{ field: 'retention_days', old: defaults.retention_days, new: first }],
    ]);
  });

  test('an update of the name renames the tenant in the platform database', async () => {
    await send(surface, 'PUT', { name: 'Renamed' });
    const read = await suite.asAdmin('GET', `/tenants/${tenant.id}`);
    expect(read.body.data.name).toBe('Renamed');
  });

  test.each([
    [{ name: null, timezone: 'Mars/Olympus' }, ['name', 'timezone']],
    [{ timezone: '+01:00' }, ['timezone']],
    [{ support_email: 'nobody', license_key_prefix: 'A/B' }, ['license_key_prefix', 'support_email']],
    [{ notification_emails: ['a@example.com', 'a@example.com'] }, ['notification_emails']],
    [{ webhook_event_defaults: ['*', 'license.created'] }, ['webhook_event_defaults']],
    [{ retention_days: { audit: 29, usage: 35, deliveries: 0, x: 1 } }, ['audit', 'deliveries', 'usage', 'x']],
  ])('an update with %j is refused as a whole with the names of the invalid fields', async (bad, fields) => {
    const refused = await send(surface, 'PUT', { expiring_soon_days: 20, ...bad });
    const named = badFields(refused).map((field) => field.replace('retention_days.', ''));
    expect([refused.status, named]).toEqual([422, fields]);
    expect((await send(surface, 'GET')).body.data).toEqual(defaults);
  });
});

test('concurrent updates of different fields are all applied', async () => {
  const changes = [{ timezone: 'Asia/Tokyo' }, { expiring_soon_days: 3 }, { retention_days: { audit: 50 } }];
  await Promise.all([...changes, { retention_days: { usage: 50 } }].map((change) => send('tenant', 'PUT', change)));
  const retention_days = { audit: 50, usage: 50, deliveries: 30, mails: 180, sale_messages: 90, checks: 30 };
  const expected = { ...defaults, timezone: 'Asia/Tokyo', expiring_soon_days: 3, retention_days };
  expect((await send('tenant', 'GET')).body.data).toEqual(expected);
});

test('generated and rotated license keys start with the tenant prefix unless the policy has its own', async () => {
  await send('tenant', 'PUT', { license_key_prefix: 'ACME' });
  expect((await newLicense(tenant, { key_prefix: 'OWN' })).key).toMatch(/^OWN-/);
  const license = await newLicense(tenant);
  expect(license.key).toMatch(/^ACME-/);
  expect((await newLicense(tenant, {}, { key: 'MINE' })).key).toBe('MINE');
  await send('tenant', 'PUT', { license_key_prefix: 'NEXT' });
  const rotated = await tenant.asOwner('POST', `/licenses/${license.id}/rotate-key`);
  expect(rotated.body.data.key).toMatch(/^NEXT-/);
});
