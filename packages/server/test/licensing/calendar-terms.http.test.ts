import { describe, expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields, newLicense, newPolicy } from '../support/licensing-catalog.ts';

const clock = useClock('2027-01-31T12:00:00.000Z');
const suite = useTenant();

describe('terms in months of the calendar', () => {
  test('a license of a month that is too short ends on its last day, and a year later on the same day', async () => {
    const monthly = await newLicense(suite.tenant, { duration_months: 1 });
    expect(monthly.expires_at).toMatch(/^2027-02-28T12:00:/);
    const yearly = await newLicense(suite.tenant, { duration_months: 12 });
    expect(yearly.expires_at).toMatch(/^2028-01-31T12:00:/);
    let { expires_at } = yearly;
    for (const year of [2029, 2030, 2031, 2032, 2033]) {
      const renewed = await suite.tenant.asOwner('POST', `/licenses/${yearly.id}/renew`);
      expect(renewed.body.data.expires_at).toBe(expires_at.replace(/^\d{4}/, String(year)));
      ({ expires_at } = renewed.body.data);
    }
  });

  test.for(['first_validation', 'first_activation'])('a term in months begins with the %s', async (expiry_basis) => {
    const license = await newLicense(suite.tenant, { duration_months: 1, expiry_basis });
    expect(license.expires_at).toBeNull();
    if (expiry_basis === 'first_validation') await suite.tenant.asApplication(`/licenses/${license.key}/validate`);
    else await suite.tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint: 'one' });
    const begun = await suite.tenant.asOwner('GET', `/licenses/${license.id}`);
    expect(begun.body.data.expires_at).toMatch(/^2027-02-28T12:00:/);
  });

  test('a policy that ends with the month prolongs every term to its last moment, also when it begins late or is renewed', async () => {
    const policy = await newPolicy(suite.tenant, { duration_months: 1, ends_with_month: true, maintenance_days: 30 });
    expect(policy.ends_with_month).toBe(true);
    const issue = async (fields: object) =>
      (await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id, ...fields })).body.data;
    const { id, expires_at, maintenance_expires_at } = await issue({});
    expect(expires_at).toBe('2027-02-28T23:59:59.999999Z');
    expect(maintenance_expires_at).toMatch(/^2027-03-02T12:00:/);
    const renewed = await suite.tenant.asOwner('POST', `/licenses/${id}/renew`);
    expect(renewed.body.data.expires_at).toBe('2027-03-31T23:59:59.999999Z');
    const byDays = await suite.tenant.asOwner('POST', `/licenses/${id}/renew`, { duration_days: 1 });
    expect(byDays.body.data.expires_at).toBe('2027-04-30T23:59:59.999999Z');
    const own = await issue({ expires_at: '2027-05-05T05:05:05Z' });
    expect(own.expires_at).toMatch(/^2027-05-05T05:05:05/);
    const late = await newLicense(suite.tenant, {
      ...{ duration_days: 1, expiry_basis: 'first_validation', ends_with_month: true },
    });
    expect((await suite.tenant.asApplication(`/licenses/${late.key}/validate`)).body.data.license.expires_at).toBe(
      '2027-02-28T23:59:59.999999Z',
    );
    const unlimited = await newLicense(suite.tenant, { ends_with_month: true });
    expect(unlimited.expires_at).toBeNull();
  });

  test('a renewal takes a duration of its own, and not two', async () => {
    const license = await newLicense(suite.tenant, { duration_days: 1, maintenance_days: 1 });
    const renew = (body: object) => suite.tenant.asOwner('POST', `/licenses/${license.id}/renew`, body);
    const byMonth = await renew({ duration_months: 1 });
    expect(byMonth.body.data.expires_at).toMatch(/^2027-03-01T12:00:/);
    expect(byMonth.body.data.maintenance_expires_at).toMatch(/^2027-03-01T12:00:/);
    expect((await renew({ duration_days: 3 })).body.data.expires_at).toMatch(/^2027-03-04T12:00:/);
    const both = await renew({ duration_days: 3, duration_months: 1 });
    expect([both.status, badFields(both)]).toEqual([422, ['duration_months']]);
    for (const bad of [
      { duration_months: 0 },
      { duration_months: 1201 },
      { duration_days: 1.5 },
      { duration_years: 1 },
    ]) {
      expect((await renew(bad)).status).toBe(422);
    }
  });

  test('a renewal by months is extended once for one Idempotency-Key', async () => {
    const license = await newLicense(suite.tenant, { duration_days: 1 });
    const renew = () =>
      suite.app.request({
        method: 'POST',
        url: `/api/v1/tenant/licenses/${license.id}/renew`,
        headers: { ...suite.tenant.owner.auth, 'idempotency-key': license.id },
        payload: { duration_months: 1 },
      });
    const [one, two] = await Promise.all([renew(), renew()]);
    const again = await renew();
    for (const answer of [one, two, again].filter(({ status }) => status === 200)) {
      expect(answer.body.data.expires_at).toMatch(/^2027-03-01T12:00:/);
    }
    expect(again.status).toBe(200);
  });

  test('a policy has days or months, and a change from one to the other names both', async () => {
    const policy = await newPolicy(suite.tenant, { duration_days: 30 });
    const change = (fields: object) => suite.tenant.asOwner('PUT', `/policies/${policy.id}`, fields);
    const both = await change({ duration_months: 1 });
    expect([both.status, badFields(both)]).toEqual([422, ['duration_months']]);
    const changed = await change({ duration_days: null, duration_months: 1 });
    expect(changed.body.data).toMatchObject({ duration_days: null, duration_months: 1 });
    const created = await suite.tenant.asOwner('POST', '/policies', {
      product_id: policy.product_id,
      code: 'both',
      name: 'Both',
      duration_days: 1,
      duration_months: 1,
    });
    expect([created.status, badFields(created)]).toEqual([422, ['duration_months']]);
  });

  test('a month is that of the timezone of the tenant', async () => {
    await suite.tenant.asOwner('PUT', '/settings', { timezone: 'Pacific/Kiritimati' });
    // There it is 02:00 on February 1, so a month later it is March 1.
    const license = await newLicense(suite.tenant, { duration_months: 1 });
    expect(license.expires_at).toMatch(/^2027-02-28T12:00:/);
    clock.set('2027-02-28T12:00:00.000Z');
    const march = await newLicense(suite.tenant, { duration_months: 1 });
    expect(march.expires_at).toMatch(/^2027-03-31T12:00:/);
    await suite.tenant.asOwner('PUT', '/settings', { timezone: 'UTC' });
  });
});
