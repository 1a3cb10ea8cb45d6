import { beforeAll, describe, expect, test } from 'vitest';
import { createTenant, surfacesOf, type TestTenant, useTenant } from '../support/accounts.ts';
import { type Answer, engine, startApp, stopApp, useClock } from '../support/harness.ts';
import { badFields, created, eventsOf, newPolicy, newProduct } from '../support/licensing-catalog.ts';
import { mailsTo } from '../support/mails.ts';
import { sendHolderMails } from './holder-mail-fixtures.ts';

const clock = useClock();
const suite = useTenant();
const minutes = (count: number) => count * 60_000;

/** Creates a product whose trial has these terms. */
async function offer(tenant: TestTenant, terms: object = {}) {
  const product = await newProduct(tenant);
  const policy = await newPolicy(tenant, { product_id: product.id, duration_days: 1, max_activations: 1, ...terms });
  const bought = await newPolicy(tenant, { product_id: product.id, duration_days: 365, max_activations: 3 });
  const named = await tenant.asOwner('PUT', `/products/${product.id}`, { trial_policy_id: policy.id });
  expect([named.status, named.body.data.trial_policy_id]).toEqual([200, policy.id]);
  return { product: product.code, productId: product.id, policyId: policy.id, boughtId: bought.id };
}

const start = (body: object, tenant = suite.tenant) => tenant.asApplication('/trials', body);
const confirm = (code: string) => suite.tenant.asApplication('/trials/confirm', { code });
const verdictOf = async (key: string, fingerprint: string) =>
  (await suite.tenant.asApplication(`/licenses/${key}/validate`, { fingerprint })).body.data.code;
const refusal = ({ status, body }: Answer) => [status, body.error?.code];

/** Returns the codes that were mailed to an address, oldest first. */
function mailedCodes(email: string): Promise<string[]> {
  const { tenants, keyring } = suite.app.services;
  return tenants.withTenantDb(suite.tenant.id, async ({ query }) => {
    const mails = query.selectFrom('holder_mails').select('sealed_values').where('recipient', '=', email);
    const rows = await mails.where('type', '=', 'trial.confirm').orderBy('id').execute();
    return rows.map(({ sealed_values }) => JSON.parse(keyring.open(sealed_values ?? '')).code);
  });
}

describe('the trial of a device', () => {
  test('a device gets a license with its seat, and the same one however often it asks, also after the end', async () => {
    const { product, productId } = await offer(suite.tenant);
    const device = { name: "Ada's laptop", hostname: 'ada-laptop', platform: 'macos' };
    const first = await start({ product, fingerprint: 'one', name: 'Ada', device });
    expect(first.status).toBe(201);
    const { license_key: key, activation, expires_at } = first.body.data;
    expect(first.body.data).toMatchObject({ status: 'started', license_status: 'active', activation: device });
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(minutes(23 * 60));
    expect(await verdictOf(key, 'one')).toBe('LICENSE.VALID');
    for (const name of [product, productId]) {
      const again = await start({ product: name, fingerprint: 'one', email: 'other@example.com' });
      expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    }
    await suite.tenant.asApplication(`/licenses/${key}/activations/${activation.id}/deactivate`);
    const back = await start({ product, fingerprint: 'one' });
    expect([back.status, back.body.data.license_key, back.body.data.activation.name]).toEqual([200, key, null]);
    const accented = await start({ product, fingerprint: 'é'.normalize('NFD') });
    const composed = await start({ product, fingerprint: 'é'.normalize('NFC') });
    expect([composed.status, composed.body.data]).toEqual([200, accented.body.data]);
    const other = await start({ product, fingerprint: 'two' });
    expect([other.status, other.body.data.license_key === key]).toEqual([201, false]);
    const { id } = (await suite.tenant.asOwner('GET', `/licenses?key=${key}`)).body.data[0];
    await suite.tenant.asOwner('PUT', `/licenses/${id}`, { expires_at: new Date(Date.now() + 1000).toISOString() });
    clock.advance(minutes(1));
    const ended = await start({ product, fingerprint: 'one' });
    expect([ended.status, ended.body.data.license_key, ended.body.data.license_status]).toEqual([200, key, 'expired']);
    expect(await eventsOf(suite.tenant, id)).toEqual(['LICENSE.UPDATED', 'LICENSE.CREATED']);
  });

  test.each(['first_validation', 'first_activation'])(
    'a trial under a policy whose terms begin with the %s has begun when it starts, and its end stays',
    async (expiry_basis) => {
      const terms = { expiry_basis, duration_days: 14, maintenance_days: 30, require_activation: true };
      const { product, policyId } = await offer(suite.tenant, terms);
      const { license_key: key, license_status, expires_at } = (await start({ product, fingerprint: 'own' })).body.data;
      expect([license_status, (Date.parse(expires_at) - Date.now()) / minutes(24 * 60)]).toEqual(['active', 14]);
      clock.advance(minutes(5));
      expect(await verdictOf(key, 'own')).toBe('LICENSE.VALID');
      const [license] = (await suite.tenant.asOwner('GET', `/licenses?policy_id=${policyId}&include=details`)).body
        .data;
      expect(license).toMatchObject({ expires_at, pending_term: null });
    },
  );

  test('200 concurrent requests of one device make one license', async () => {
    const { product, policyId } = await offer(suite.tenant);
    // On PostgreSQL the requests reach two nodes in turn.
    const second = engine === 'postgres' ? await startApp(suite.app.site) : undefined;
    try {
      const nodes = [suite.tenant, ...(second ? [surfacesOf(second, suite.tenant)] : [])];
      const answers = await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          const node = nodes[index % nodes.length] ?? suite.tenant;
          let answer = await node.asApplication('/trials', { product, fingerprint: 'many' });
          // A busy server asks clients to come back; the SDK does so too.
          while (answer.status === 503) answer = await node.asApplication('/trials', { product, fingerprint: 'many' });
          return answer;
        }),
      );
      const keys = new Set(answers.map(({ body }) => body.data?.license_key));
      const statuses = answers.map(({ status }) => status).sort();
      expect([keys.size, statuses.filter((status) => status === 201), statuses.at(-1)]).toEqual([1, [201], 201]);
    } finally {
      if (second) await stopApp(second);
    }
    const { body } = await suite.tenant.asOwner('GET', `/licenses?policy_id=${policyId}`);
    expect(body.data).toMatchObject([{ activations_count: 1 }]);
    // Only the one trial counts towards the limit of the address.
    expect((await start({ product, fingerprint: 'another' })).status).toBe(201);
  });

  test('requests that start no trial get a clear error', async () => {
    const { product, productId, policyId } = await offer(suite.tenant, { trial_requires_email: true });
    const without = await newProduct(suite.tenant);
    const fingerprint = 'refused';
    expect(refusal(await start({ product: 'unknown', fingerprint }))).toEqual([404, 'PRODUCT.NOT_FOUND']);
    expect(refusal(await start({ product: without.code, fingerprint }))).toEqual([409, 'TRIAL.NOT_OFFERED']);
    expect(refusal(await start({ product, fingerprint }))).toEqual([422, 'TRIAL.EMAIL_REQUIRED']);
    expect(badFields(await start({ product, email: 'no address', name: '' }))).toEqual([
      'email',
      'fingerprint',
      'name',
    ]);
    expect(refusal(await confirm('AAAA-AAAA'))).toEqual([422, 'TRIAL.CODE_INVALID']);
    const key = created(await suite.tenant.asOwner('POST', '/api-keys', { name: 'Usual' }));
    expect(key.scopes).not.toContain('trials:create');
    for (const url of ['/api/v1/integration/trials', '/api/v1/integration/trials/confirm']) {
      const headers = { 'x-api-key': key.key };
      const answer = await suite.app.request({
        method: 'POST',
        url,
        headers,
        payload: { product, code: 'x', fingerprint },
      });
      expect(refusal(answer)).toEqual([403, 'AUTH.SCOPE_REQUIRED']);
    }
    const foreign = await newPolicy(suite.tenant);
    const wrong = await suite.tenant.asOwner('PUT', `/products/${productId}`, { trial_policy_id: foreign.id });
    expect([wrong.status, badFields(wrong)]).toEqual([422, ['trial_policy_id']]);
    expect(refusal(await suite.tenant.asOwner('DELETE', `/policies/${policyId}`))).toEqual([409, 'POLICY.IN_USE']);
    await suite.tenant.asOwner('PUT', `/products/${productId}`, { trial_policy_id: null });
    expect((await suite.tenant.asOwner('DELETE', `/policies/${policyId}`)).status).toBe(200);
  });
});

describe('the trial of an address', () => {
  test('a trial that needs an address starts with the code from the mail, however a person types it', async () => {
    const { product } = await offer(suite.tenant, { trial_requires_email: true });
    const email = 'ada@trial.example.com';
    const asked = await start({ product, fingerprint: 'mine', email, name: 'Ada' });
    const greeting = { subject: 'Hello {{holder_name}}', body: '`{{code}}`' };
    const refused = await suite.tenant.asOwner('PUT', '/mail-templates/trial.confirm', greeting);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining('holder_name')]);
    expect([asked.status, asked.body.data]).toMatchObject([202, { status: 'confirmation_required', email }]);
    expect(JSON.stringify(asked.body)).not.toContain('license');
    expect((await start({ product, fingerprint: 'mine', email })).body.data).toEqual(asked.body.data);
    const [code = '', ...more] = await mailedCodes(email);
    expect(more).toEqual([]);
    const started = await confirm(` ${code.toLowerCase().replace('-', '')} `);
    expect([started.status, started.body.data.license_status]).toEqual([201, 'active']);
    const { license_key: key } = started.body.data;
    expect(await verdictOf(key, 'mine')).toBe('LICENSE.VALID');
    const repeated = await confirm(code);
    expect([repeated.status, repeated.body.data.license_key]).toEqual([200, key]);
    const [license] = (await suite.tenant.asOwner('GET', `/licenses?key=${key}`)).body.data;
    expect(license.holder).toEqual({ name: 'Ada', email, reference: null });
  });

  test('the license of a trial is mailed once, and an address that nobody confirmed reads nothing of the caller', async () => {
    const { product } = await offer(suite.tenant);
    const email = 'unproven@trial.example.com';
    const asked = { product, fingerprint: 'unproven', email, name: 'Buy at evil example' };
    const { license_key: key } = (await start(asked)).body.data;
    await start(asked);
    await sendHolderMails(suite.app, suite.tenant);
    const mails = await mailsTo(suite.app, email);
    expect(mails).toHaveLength(1);
    expect(mails[0]).toContain(key);
    expect(mails[0]).not.toContain('evil');
  });

  test('a caller who knows an address gets its license only with the code that is mailed to it', async () => {
    const { product, boughtId } = await offer(suite.tenant);
    const email = 'grace@trial.example.com';
    const first = await start({ product, fingerprint: 'hers', email });
    const { license_key: key } = first.body.data;
    const owner = suite.tenant.asOwner;
    const { id } = (await owner('GET', `/licenses?key=${key}`)).body.data[0];
    expect((await owner('POST', `/licenses/${id}/convert`, { policy_id: boughtId })).status).toBe(200);
    const stranger = await start({ product, fingerprint: 'strange', email: email.toUpperCase() });
    expect(stranger.status).toBe(202);
    expect(stranger.text).not.toContain(key);
    const [code = ''] = await mailedCodes(email);
    const joined = await confirm(code);
    expect([joined.status, joined.body.data.license_key]).toEqual([200, key]);
    expect(joined.body.data.activation).not.toBeNull();
    expect((await start({ product, fingerprint: 'strange' })).body.data.license_key).toBe(key);
  });

  test('one address receives at most five codes a day, with the same answer for a sixth', async () => {
    const { product } = await offer(suite.tenant, { trial_requires_email: true });
    const email = 'flooded@trial.example.com';
    for (let device = 0; device < 7; device += 1) {
      const { status, body } = await start({ product, fingerprint: `flood-${device}`, email });
      expect([status, Object.keys(body.data).sort()]).toEqual([202, ['email', 'expires_at', 'status']]);
    }
    expect(await mailedCodes(email)).toHaveLength(5);
  });

  test('a client that guesses codes is stopped after ten attempts', async () => {
    const guess = () =>
      suite.app.request({
        method: 'POST',
        url: '/api/v1/integration/trials/confirm',
        headers: { 'x-api-key': suite.tenant.apiKey },
        remoteAddress: '203.0.113.77',
        payload: { code: 'AAAA-AAAA' },
      });
    const codes: string[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) codes.push((await guess()).body.error.code);
    expect([codes[9], codes[10]]).toEqual(['TRIAL.CODE_INVALID', 'RATE_LIMIT.EXCEEDED']);
  });
});

describe('limits', () => {
  let tenant: TestTenant;
  let product: string;
  const titles = async (): Promise<string[]> =>
    (await tenant.asOwner('GET', '/notifications?type=trials.limit_reached')).body.data.map(
      ({ title }: { title: string }) => title,
    );

  beforeAll(async () => {
    tenant = await createTenant(suite.app, suite.admin, 'Limited');
    ({ product } = await offer(tenant));
  });

  test('one network starts no more trials than the settings allow, and the tenant is notified once', async () => {
    await tenant.asOwner('PUT', '/settings', { trials_per_address_max: 2 });
    const answers: Answer[] = [];
    for (const fingerprint of ['a', 'b', 'a', 'c', 'd']) answers.push(await start({ product, fingerprint }, tenant));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 429, 429]);
    expect(answers[3]?.body.error.code).toBe('TRIAL.LIMIT_REACHED');
    expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(3600);
    expect(await titles()).toEqual(['A network was refused another trial']);
    await tenant.asOwner('PUT', '/settings', { trials_per_address_max: null });
  });

  test('a day has no more trials than the settings allow, and the tenant is notified with the last one', async () => {
    await tenant.asOwner('PUT', '/settings', { trials_per_day_max: 3 });
    expect((await start({ product, fingerprint: 'e' }, tenant)).status).toBe(201);
    expect(await titles()).toContain('No more trials can start today');
    const refused = await start({ product, fingerprint: 'f' }, tenant);
    expect([refusal(refused), refused.body.error.message]).toEqual([
      [429, 'TRIAL.LIMIT_REACHED'],
      'No more trials can start today. Try again tomorrow, or use a license key.',
    ]);
    expect((await start({ product, fingerprint: 'a' }, tenant)).status).toBe(200);
    await tenant.asOwner('PUT', '/settings', { trials_per_day_max: null });
    expect((await start({ product, fingerprint: 'f' }, tenant)).status).toBe(201);
  });

  test("the limits of the tenant's plan apply, and a refused trial leaves nothing", async () => {
    const limits = { licenses: 4, activations: 100 };
    const url = `/api/v1/admin/tenants/${tenant.id}`;
    await suite.app.request({ method: 'PATCH', url, headers: suite.admin.auth, payload: { limits } });
    expect(refusal(await start({ product, fingerprint: 'g' }, tenant))).toEqual([403, 'PLAN.LIMIT_REACHED']);
    const raised = { limits: { licenses: 5, activations: 100 } };
    await suite.app.request({ method: 'PATCH', url, headers: suite.admin.auth, payload: raised });
    expect((await start({ product, fingerprint: 'g' }, tenant)).status).toBe(201);
  });
});

describe('a conversion', () => {
  test('a converted trial keeps its key and devices, and the overview counts it', async () => {
    const tenant = await createTenant(suite.app, suite.admin, 'Converting');
    const { product, productId, policyId, boughtId } = await offer(tenant);
    const trialsOf = async () => (await tenant.asOwner('GET', '/overview')).body.data.trials;
    expect(await trialsOf()).toMatchObject({ started: 0, conversion_rate: null, median_seconds_to_conversion: null });
    const started: { id: string; key: string }[] = [];
    for (const fingerprint of ['a', 'b', 'c', 'd']) {
      const { body } = await start({ product, fingerprint }, tenant);
      const { license_key: key } = body.data;
      started.push({ key, id: (await tenant.asOwner('GET', `/licenses?key=${key}`)).body.data[0].id });
    }
    const convert = (id: string, policy_id: string) => tenant.asOwner('POST', `/licenses/${id}/convert`, { policy_id });
    const [first, second] = started as [{ id: string; key: string }, { id: string; key: string }];
    clock.advance(minutes(10));
    const converted = await convert(first.id, boughtId);
    expect(converted.status).toBe(200);
    expect(converted.body.data).toMatchObject({ key: first.key, policy_id: boughtId, activations_count: 1 });
    const { expires_at, updated_at } = converted.body.data;
    expect(Date.parse(expires_at) - Date.parse(updated_at)).toBe(365 * 86_400_000);
    expect(await eventsOf(tenant, first.id)).toEqual(['LICENSE.CONVERTED', 'LICENSE.CREATED']);
    clock.advance(minutes(10));
    await convert(second.id, boughtId);
    expect(await trialsOf()).toEqual({
      days: 90,
      started: 4,
      converted: 2,
      conversion_rate: 0.5,
      median_seconds_to_conversion: 15 * 60,
    });
    const again = await start({ product, fingerprint: 'a' }, tenant);
    expect([again.status, again.body.data.license_key]).toEqual([200, first.key]);
    expect(refusal(await convert(first.id, boughtId))).toEqual([409, 'LICENSE.TRANSITION_INVALID']);
    const other = await newPolicy(tenant);
    const third = started[2]?.id ?? '';
    for (const id of [policyId, other.id, productId]) {
      const refused = await convert(third, id);
      expect([refused.status, badFields(refused)]).toEqual([422, ['policy_id']]);
    }
    await tenant.asOwner('POST', `/licenses/${third}/revoke`);
    expect(refusal(await convert(third, boughtId))).toEqual([409, 'LICENSE.TRANSITION_INVALID']);
    expect(await trialsOf()).toMatchObject({ started: 4, converted: 2 });
  });
});

test('a code ends after a day', async () => {
  const { product } = await offer(suite.tenant, { trial_requires_email: true });
  const email = 'late@trial.example.com';
  await start({ product, fingerprint: 'late', email });
  const [code = ''] = await mailedCodes(email);
  clock.advance(minutes(24 * 60 + 1));
  expect(refusal(await confirm(code))).toEqual([422, 'TRIAL.CODE_INVALID']);
});

test.each<[string, (id: string, email: string) => [method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object]]>([
  ['was deleted', (id) => ['DELETE', `/licenses/${id}`]],
  ['was revoked', (id) => ['POST', `/licenses/${id}/revoke`]],
  ['has another holder', (id) => ['PUT', `/licenses/${id}`, { holder: { email: 'heir@example.com' } }]],
  ['lost its holder to an erasure', (_id, email) => ['DELETE', `/customers/${email}`]],
])('device and address have no second trial after the license %s, until the vendor allows it', async (what, change) => {
  const { product, productId } = await offer(suite.tenant, { max_activations: 5 });
  const email = `${what.replaceAll(' ', '-')}@trial.example.com`;
  const { license_key: key } = (await start({ product, fingerprint: 'first', email })).body.data;
  const { id } = (await suite.tenant.asOwner('GET', `/licenses?key=${key}`)).body.data[0];
  expect((await suite.tenant.asOwner(...change(id, email))).status).toBe(200);
  const again = await start({ product, fingerprint: 'first', email: 'new@trial.example.com' });
  expect([again.status, again.body.data.license_key]).toEqual([200, key]);
  if (what === 'was deleted') expect(again.body.data).toMatchObject({ license_status: 'revoked', activation: null });
  expect((await start({ product, fingerprint: 'second', email: email.toUpperCase() })).status).toBe(202);
  const joined = await confirm((await mailedCodes(email))[0] ?? '');
  expect([joined.status, joined.body.data.license_key]).toEqual([200, key]);
  const allow = async (body: object) =>
    (await suite.tenant.asOwner('POST', `/products/${productId}/allow-trial`, body)).body.data;
  expect(await allow({ fingerprint: 'unknown' })).toEqual({ forgotten: 0 });
  expect(await allow({ email: email.toUpperCase() })).toEqual({ forgotten: 1 });
  expect(await eventsOf(suite.tenant, productId)).toEqual(['TRIAL.ALLOWED', 'PRODUCT.UPDATED', 'PRODUCT.CREATED']);
  const anew = await start({ product, fingerprint: 'first', email });
  expect([anew.status, anew.body.data.license_key === key]).toEqual([201, false]);
  expect(await allow({ fingerprint: 'first' })).toEqual({ forgotten: 1 });
  expect((await start({ product, fingerprint: 'first', email })).status).toBe(201);
  expect(badFields(await suite.tenant.asOwner('POST', `/products/${productId}/allow-trial`, {}))).toEqual([
    'fingerprint',
  ]);
  // The trials of this network count for a day.
  clock.advance(minutes(24 * 60));
});
