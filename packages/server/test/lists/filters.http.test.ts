import { describe, expect, test } from 'vitest';
import { bothSurfaces, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, newLicense, newPolicy, newProduct } from '../support/licensing-catalog.ts';

useClock();
const suite = useTenant();

describe.each(bothSurfaces(suite))('through the $surface surface', ({ surface, prefix, auth }) => {
  const list = (path: string) => suite.app.request({ method: 'GET', url: prefix() + path, headers: auth() });
  const ids = async (path: string): Promise<string[]> =>
    (await list(path)).body.data.map((row: { id: string }) => row.id);

  test('licenses are found by prefixes of words, ignoring case and accents', async () => {
    const holder = { name: 'Jürgen O’Neil-Smith', email: 'j.smith@Example-Shop.com', reference: 'CRM 4711/x' };
    const { id, key } = await newLicense(suite.tenant, { key_prefix: 'FIND' }, { holder });
    const other = await newLicense(suite.tenant, {}, { holder: { name: 'John Miller' } });
    for (const q of [
      'jurg',
      'JÜRGEN',
      'smi',
      'neil-s',
      'j.sm',
      'example-shop.com',
      'shop',
      '4711',
      key,
      key.slice(0, 9),
      key.slice(-5),
    ]) {
      expect([q, await ids(`/licenses?q=${encodeURIComponent(q)}`)]).toEqual([q, [id]]);
    }
    for (const typed of [key.replaceAll('-', ''), ` ${key.toLowerCase()} `, key.replaceAll('-', ' ')]) {
      for (const filter of ['q', 'key']) {
        for (const sort of ['-created_at', 'expires_at']) {
          const query = `${filter}=${encodeURIComponent(typed)}&sort=${sort}`;
          expect([query, await ids(`/licenses?${query}`)]).toEqual([query, [id]]);
        }
      }
    }
    for (const q of ['jurgen smith', 'smith jurgen 47', `${key.toLowerCase()} neil`]) {
      expect([q, await ids(`/licenses?q=${encodeURIComponent(q)}`)]).toEqual([q, [id]]);
    }
    for (const q of ['mith', 'jurgen miller', key.slice(6, 14), '%%', 'smith%']) {
      expect([q, await ids(`/licenses?q=${encodeURIComponent(q)}`)]).toEqual([q, []]);
    }
    await suite.tenant.asOwner('DELETE', `/licenses/${id}`);
    await suite.tenant.asOwner('DELETE', `/licenses/${other.id}`);
  });

  test('searches for a license reflect every change of it', async () => {
    const { id, key } = await newLicense(suite.tenant, {}, { holder: { name: 'Former' }, metadata: { seat: 'a' } });
    await suite.tenant.asOwner('PUT', `/licenses/${id}`, { holder: { name: 'Latter' }, metadata: { desk: 'b' } });
    const { body } = await suite.tenant.asOwner('POST', `/licenses/${id}/rotate-key`);
    const finds = async (query: string) => (await ids(`/licenses?${query}`)).includes(id);
    for (const query of ['q=former', `q=${key}`, 'metadata_key=seat', 'metadata_key=seat&metadata_value=a']) {
      expect([query, await finds(query)]).toEqual([query, false]);
    }
    const present = ['q=latter', `q=${body.data.key}`, 'metadata_key=desk', 'metadata_key=desk&metadata_value=b'];
    for (const query of present) expect([query, await finds(query)]).toEqual([query, true]);
    await suite.tenant.asOwner('DELETE', `/licenses/${id}`);
    for (const query of present) expect([query, await finds(query)]).toEqual([query, false]);
  });

  test('licenses are found by top-level metadata: text values unchanged, other values as JSON', async () => {
    const metadata = { seats: 5, plan: 'gold', trial: true, empty: '', none: null, deep: { region: 'eu' }, '': 'x' };
    const { id } = await newLicense(suite.tenant, {}, { metadata });
    const found = ['seats', 'seats&metadata_value=5', 'plan&metadata_value=gold', 'trial&metadata_value=true'];
    found.push('none&metadata_value=null', 'empty&metadata_value=', 'deep');
    found.push(`deep&metadata_value=${encodeURIComponent('{"region":"eu"}')}`);
    for (const query of found) expect([query, await ids(`/licenses?metadata_key=${query}`)]).toEqual([query, [id]]);
    for (const query of ['region', 'seat', 'Seats', 'seats&metadata_value=50', 'plan&metadata_value=%22gold%22']) {
      expect([query, await ids(`/licenses?metadata_key=${query}`)]).toEqual([query, []]);
    }
    await suite.tenant.asOwner('DELETE', `/licenses/${id}`);
  });

  test('licenses are filtered by an expiry before one moment and from another on', async () => {
    const policy = await newPolicy(suite.tenant);
    const make = async (expires_at: string | null) =>
      created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id, expires_at })).id;
    const [spring, summer] = [await make('2030-04-01T00:00:00Z'), await make('2030-07-01T00:00:00+02:00')];
    await make(null);
    const found = (query: string) => ids(`/licenses?policy_id=${policy.id}&${query}`);
    expect(await found('expires_before=2030-04-01T00:00:00Z')).toEqual([]);
    expect(await found('expires_before=2030-04-01T00:00:00.000001Z')).toEqual([spring]);
    expect(await found('expires_after=2030-04-01T00:00:00Z')).toEqual([summer, spring]);
    expect(await found('expires_after=2030-06-30T22:00:00Z')).toEqual([summer]);
    expect(await found('expires_after=2030-04-02T00:00:00Z&expires_before=2030-06-30T22:00:00Z')).toEqual([]);
  });

  test('products and policies are found by words of name and code until they are deleted', async () => {
    const product = await newProduct(suite.tenant, { code: `quill-${Date.now()}-${surface}`, name: 'Écriture Pro' });
    const policy = await newPolicy(suite.tenant, { product_id: product.id, code: 'site-wide', name: 'Campus Plan' });
    for (const q of ['quill', 'ecrit', 'PRO%20quill']) expect(await ids(`/products?q=${q}`)).toEqual([product.id]);
    for (const q of ['campus', 'wide%20pl']) expect(await ids(`/policies?q=${q}`)).toEqual([policy.id]);
    expect(await ids(`/policies?code=site-wide&product_id=${product.id}`)).toEqual([policy.id]);
    await suite.tenant.asOwner('PUT', `/policies/${policy.id}`, { name: 'Department' });
    expect(await ids('/policies?q=campus')).toEqual([]);
    expect(await ids('/policies?q=depart')).toEqual([policy.id]);
    await suite.tenant.asOwner('DELETE', `/policies/${policy.id}`);
    await suite.tenant.asOwner('DELETE', `/products/${product.id}`);
    expect([await ids('/policies?q=depart'), await ids('/products?q=quill')]).toEqual([[], []]);
  });

  test('activations are found by their fingerprint', async () => {
    const { key } = await newLicense(suite.tenant);
    const fingerprint = `machine-${key}`;
    const { id } = created(await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint }));
    expect(await ids(`/activations?fingerprint=${fingerprint}`)).toEqual([id]);
    expect(await ids(`/activations?fingerprint=${fingerprint}&status=expired`)).toEqual([]);
  });

  test('activations are found by the beginning of their fingerprint, and by the words that find their license', async () => {
    const holder = { name: 'Quentin Zebra' };
    const { id: licenseId, key } = await newLicense(suite.tenant, {}, { holder });
    const activate = async (fingerprint: string) =>
      created(await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint })).id;
    const [first, second] = [await activate(`${key}-One`), await activate(`two-${key}`)];
    for (const q of ['zebra', 'quen zeb', key, key.toLowerCase().slice(0, 12), key.replaceAll('-', '')]) {
      expect([q, await ids(`/activations?q=${encodeURIComponent(q)}`)]).toEqual([q, [second, first]]);
    }
    expect(await ids(`/activations?q=two-${key.slice(0, 10)}`)).toEqual([second]);
    expect(await ids(`/activations?q=zebra&license_id=${licenseId}&status=active&fingerprint=two-${key}`)).toEqual([
      second,
    ]);
    for (const q of ['ebra', 'quentin miller', `${key}-one`, 'Two-']) {
      expect([q, await ids(`/activations?q=${encodeURIComponent(q)}`)]).toEqual([q, []]);
    }
    await suite.tenant.asOwner('DELETE', `/activations/${second}`);
    expect(await ids('/activations?q=zebra&status=active')).toEqual([first]);
    await suite.tenant.asOwner('DELETE', `/licenses/${licenseId}`);
    expect(await ids('/activations?q=zebra')).toEqual([]);
  });

  test.each([
    ['/activations?q=a', 'q'],
    ['/licenses?q=a', 'q'],
    ['/licenses?q=%20%20', 'q'],
    ['/licenses?q=a%00b', 'q'],
    ['/licenses?metadata_value=5', 'metadata_key'],
    ['/licenses?metadata_key=', 'metadata_key'],
    ['/products?q=%CC%81%CC%81', 'q'],
    ['/policies?q=', 'q'],
    ['/activations?fingerprint=%00', 'fingerprint'],
  ])('the list %s is refused with an error for %s', async (path, field) => {
    const refused = await list(path);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, field]);
  });
});

test('the pages of a search contain every license once, newest first', async () => {
  const policy = await newPolicy(suite.tenant);
  const expected: string[] = [];
  for (let number = 0; number < 7; number += 1) {
    const holder = { name: `Paginated Paginator${number}` };
    const license = created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id, holder }));
    expected.unshift(license.id);
  }
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await suite.tenant.asOwner('GET', `/licenses?q=pagin&limit=3${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.data.map((row: { id: string }) => row.id));
    cursor = body.meta.next_cursor;
  }
  expect(seen).toEqual(expected);
});

test('a sorted list has every license once, with those without an end as the last to expire', async () => {
  const policy = await newPolicy(suite.tenant);
  const ends = ['2031-03-01', null, '2030-01-01', '2031-03-01', null, '2029-06-01', '2040-01-01'];
  const issued: { readonly id: string; readonly at: string }[] = [];
  for (const end of ends) {
    const expires_at = end && `${end}T00:00:00Z`;
    const { id } = created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id, expires_at }));
    issued.push({ id, at: `${end ?? '9999'} ${id}` });
  }
  const deleted = created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id }));
  await suite.tenant.asOwner('DELETE', `/licenses/${deleted.id}`);
  const byEnd = issued.toSorted((left, right) => (left.at < right.at ? -1 : 1)).map(({ id }) => id);
  const byCreation = issued.map(({ id }) => id);
  const orders = { expires_at: byEnd, '-expires_at': byEnd.toReversed(), created_at: byCreation };
  const later = 'expires_after=2030-01-01T00:00:00Z&expires_before=2039-01-01T00:00:00Z';
  for (const [sort, expected] of Object.entries({ ...orders, '-created_at': byCreation.toReversed() })) {
    const query = `/licenses?policy_id=${policy.id}&sort=${sort}`;
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await suite.tenant.asOwner('GET', `${query}&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map((row: { id: string }) => row.id));
      cursor = body.meta.next_cursor;
    }
    expect([sort, seen]).toEqual([sort, expected]);
    const { body } = await suite.tenant.asOwner('GET', `${query}&status=active&${later}`);
    const found = body.data.map((row: { id: string }) => row.id);
    expect(found).toEqual(expected.filter((id) => [0, 2, 3].some((index) => byCreation[index] === id)));
  }
});

test('a cursor of one order is refused in another', async () => {
  const policy = await newPolicy(suite.tenant);
  for (let number = 0; number < 2; number += 1)
    await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id });
  const list = (query: string) => suite.tenant.asOwner('GET', `/licenses?policy_id=${policy.id}&limit=1&${query}`);
  const { next_cursor } = (await list('sort=expires_at')).body.meta;
  for (const sort of ['-expires_at', 'created_at', '-created_at']) {
    expect((await list(`sort=${sort}&cursor=${next_cursor}`)).status).toBe(422);
  }
});

test('concurrent changes of one license leave the search terms of the last change', async () => {
  const { id } = await newLicense(suite.tenant);
  const names = Array.from({ length: 12 }, (_, number) => `Racer${String(number).padStart(2, '0')}`);
  await Promise.all(names.map((name) => suite.tenant.asOwner('PUT', `/licenses/${id}`, { holder: { name } })));
  const { name: last } = (await suite.tenant.asOwner('GET', `/licenses/${id}`)).body.data.holder;
  for (const name of names) {
    const { body } = await suite.tenant.asOwner('GET', `/licenses?q=${name}`);
    expect([name, body.data.length]).toEqual([name, name === last ? 1 : 0]);
  }
});
