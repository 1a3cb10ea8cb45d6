import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { bothSurfaces, createTenant, useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { created, eventsOf, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();

describe.each(bothSurfaces(suite))('notes about customers through the $surface surface', (surface) => {
  const { prefix, auth, suffix } = surface;
  const send = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    payload?: object,
    headers: object = {},
  ): Promise<Answer> =>
    suite.app.request({
      method,
      url: `${prefix()}/customers/${path}`,
      headers: { ...auth(), ...headers },
      ...(payload && { payload }),
    });

  async function newCustomer() {
    const email = `${newId()}@example.com`;
    const license = await newLicense(suite.tenant, { max_activations: 2 }, { holder: { email, name: 'Ada' } });
    return { email, license };
  }

  const textsOf = async (email: string) =>
    (await send('GET', `${email}/notes`)).body.data.map(({ text }: { text: string }) => text);

  test('a note has its author and its time, the newest first, and can be deleted', async () => {
    const { email } = await newCustomer();
    const first = created(await send('POST', `${email.toUpperCase()}/notes`, { text: '  Wants an invoice. ' }));
    expect(first).toMatchObject({
      text: 'Wants an invoice.',
      author_type: surface.surface === 'admin' ? 'admin' : 'user',
      author_name: expect.any(String),
    });
    clock.advance(1000);
    const second = created(await send('POST', `${email}/notes`, { text: 'Paid.' }));
    const { body } = await send('GET', `${email}/notes?limit=1`);
    expect(body.data).toEqual([second]);
    expect((await send('GET', `${email}/notes?cursor=${body.meta.next_cursor}`)).body.data).toEqual([first]);
    expect((await send('DELETE', `${email}/notes/${first.id}`)).body.data).toEqual({ deleted: true, id: first.id });
    expect(await textsOf(email)).toEqual(['Paid.']);
    const again = await send('DELETE', `${email}/notes/${first.id}`);
    expect([again.status, again.body.error.code]).toEqual([404, 'CUSTOMER_NOTE.NOT_FOUND']);
    expect(await eventsOf(suite.tenant, first.id)).toEqual([
      `CUSTOMER_NOTE.DELETED${suffix}`,
      `CUSTOMER_NOTE.CREATED${suffix}`,
    ]);
    const records = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${first.id}`);
    expect(records.text).not.toContain('invoice');
  });

  test('a repetition with the same key writes one note', async () => {
    const { email } = await newCustomer();
    const headers = { 'idempotency-key': newId() };
    const first = created(await send('POST', `${email}/notes`, { text: 'Once.' }, headers));
    expect(created(await send('POST', `${email}/notes`, { text: 'Once.' }, headers))).toEqual(first);
    expect(await textsOf(email)).toEqual(['Once.']);
  });

  test('notes follow the customer to another address, and an erasure deletes them', async () => {
    const { email, license } = await newCustomer();
    await send('POST', `${email}/notes`, { text: 'Prefers mail.' });
    const target = `${newId()}@example.com`;
    await send('PUT', email, { email: target });
    expect(await textsOf(target)).toEqual(['Prefers mail.']);
    await suite.tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint: 'one' });
    await suite.app.services.deviceHistory.flush();
    const exported = await send('GET', `${target}/export`);
    expect(exported.body.data).toMatchObject({
      notes: [{ text: 'Prefers mail.' }],
      checks: [{ license_id: license.id, fingerprint: 'one', address: expect.any(String) }],
    });
    expect((await send('DELETE', target)).status).toBe(200);
    const left = await suite.app.services.tenants.withTenantDb(suite.tenant.id, async ({ query }) => ({
      notes: await query.selectFrom('customer_notes').select('id').where('email_key', '=', target).execute(),
      checks: await query.selectFrom('license_checks').select('code').where('license_id', '=', license.id).execute(),
    }));
    expect(left).toEqual({ notes: [], checks: [] });
  });

  test('a customer shows the newest devices of all licenses', async () => {
    const { email, license } = await newCustomer();
    const other = await newLicense(suite.tenant, {}, { holder: { email } });
    for (const { key } of [license, other]) {
      clock.advance(1000);
      await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'desk' });
    }
    const { body } = await send('GET', email);
    expect(body.data.activations).toMatchObject([
      { license_id: other.id, fingerprint: 'desk' },
      { license_id: license.id, fingerprint: 'desk' },
    ]);
  });

  test('a note about nobody, an empty note and a note of another tenant are refused', async () => {
    const { email } = await newCustomer();
    const nobody = await send('POST', 'nobody@example.com/notes', { text: 'Hello' });
    expect([nobody.status, nobody.body.error.code]).toEqual([404, 'CUSTOMER.NOT_FOUND']);
    for (const text of ['', ' \n ', 'x'.repeat(2001)]) {
      expect((await send('POST', `${email}/notes`, { text })).status).toBe(422);
    }
    const stranger = await createTenant(suite.app, suite.admin, 'Stranger');
    const { id } = created(await send('POST', `${email}/notes`, { text: 'Ours' }));
    expect((await stranger.asOwner('DELETE', `/customers/${email}/notes/${id}`)).status).toBe(404);
    expect(await textsOf(email)).toEqual(['Ours']);
  });
});
