import fc from 'fast-check';
import { maxSatisfying } from 'semver';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { askPortal, logInHolder, portalOf } from '../holders/portal-data.ts';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, defineEntitlements, newLicense, newPolicy, newProduct } from '../support/licensing-catalog.ts';
import { asUpdater, digest, fileInput, newDraft, newRelease, refusal } from './release-data.ts';
import { storageSignature } from './storage-signature.ts';

// A minute before midnight.
const clock = useClock('2026-11-20T23:59:00.000Z');
const suite = useTenant();

beforeAll(() => defineEntitlements(suite.tenant, { pro: 'boolean' }));

const latest = async (body: object, headers = { 'x-api-key': suite.tenant.apiKey }) =>
  await suite.app.request({
    method: 'POST',
    url: '/api/v1/integration/releases/latest',
    headers,
    payload: { platform: 'windows', arch: 'x64', ...body },
  });
const download = (release: { id: string; artifacts: { id: string }[] }, license_key: string) =>
  suite.tenant.asApplication(`/releases/${release.id}/artifacts/${release.artifacts[0]?.id}/download`, { license_key });

/** Ends the maintenance of a license between the releases before and after the call. */
async function endMaintenance(licenseId: string): Promise<void> {
  clock.advance(1000);
  const maintenance_expires_at = new Date(Date.now()).toISOString();
  await suite.tenant.asOwner('PUT', `/licenses/${licenseId}`, { maintenance_expires_at });
  clock.advance(1000);
}

/** Creates a product and a license of it. */
async function newSold(policyFields: object = {}, fields: object = {}) {
  const product = await newProduct(suite.tenant);
  const license = await newLicense(suite.tenant, { product_id: product.id, ...policyFields }, fields);
  return { product, license };
}

const setOfReleases = fc.uniqueArray(
  fc.record({
    version: fc.tuple(fc.nat(2), fc.nat(11), fc.constantFrom('', '-rc.1')).map(([a, b, c]) => `1.${a}.${b}${c}`),
    needsPro: fc.boolean(),
    isLate: fc.boolean(),
    channel: fc.constantFrom('stable', 'beta'),
    status: fc.constantFrom('draft', 'published', 'yanked'),
  }),
  { minLength: 1, maxLength: 6, selector: ({ version }) => version },
);
type Generated = (typeof setOfReleases extends fc.Arbitrary<infer Value> ? Value : never)[number];

async function createAll(productId: string, releases: readonly Generated[]): Promise<void> {
  for (const { version, needsPro, channel, status } of releases) {
    const fields = { channel, minimum_entitlements: needsPro ? ['pro'] : [] };
    const { id } = await newDraft(suite.tenant, productId, version, fields);
    const path = `/products/${productId}/releases/${id}`;
    if (status !== 'draft') await suite.tenant.asOwner('POST', `${path}/publish`, {});
    if (status === 'yanked') await suite.tenant.asOwner('POST', `${path}/yank`, { reason: 'No' });
  }
}

describe('a download', () => {
  test('it has the link and the digest, is not cached, and is counted by day', async () => {
    const { product, license } = await newSold();
    const release = await newRelease(suite.tenant, product.id, '1.0.0');
    const { artifacts } = release;
    const { url, size, sha256, file_name } = artifacts[0];
    const answer = await download(release, license.key.toLowerCase());
    expect([answer.body.data, answer.headers['cache-control']]).toEqual([
      { url, expires_at: null, file_name, size, sha256 },
      'no-store',
    ]);
    clock.advance(90_000);
    const path = `/releases/${release.id}/artifacts/${artifacts[0].id}/download/${file_name}`;
    const redirect = await asUpdater(suite.app, suite.tenant, path, license.key);
    expect([redirect.status, redirect.headers.location, redirect.headers['cache-control']]).toEqual([
      302,
      url,
      'no-store',
    ]);
    await download(release, license.key);
    expect(refusal(await asUpdater(suite.app, suite.tenant, path))).toEqual([422, 'LICENSE.KEY_REQUIRED']);
    const own = `/products/${product.id}/releases/${release.id}`;
    const days = (await suite.tenant.asOwner('GET', `${own}/downloads`)).body.data;
    expect(days.map(({ count }: { count: number }) => count)).toEqual([1, 2]);
    const second = `from=${days[1].day}&to=${days[1].day}`;
    expect((await suite.tenant.asOwner('GET', `${own}/downloads?${second}`)).body.data).toEqual([days[1]]);
    expect((await suite.tenant.asOwner('GET', own)).body.data.downloads_count).toBe(3);
  });

  test('a release that is withdrawn after the check, a file of another release and an unknown one are not found', async () => {
    const { product, license } = await newSold();
    const release = await newRelease(suite.tenant, product.id, '1.0.0');
    const other = await newRelease(suite.tenant, product.id, '1.1.0');
    for (const wrong of [
      { id: release.id, artifacts: other.artifacts },
      { id: newId(), artifacts: release.artifacts },
      { id: release.id, artifacts: [{ id: newId() }] },
    ]) {
      expect(refusal(await download(wrong, license.key))).toEqual([404, 'RELEASE.NOT_FOUND']);
    }
    const question = { product: product.code, license_key: license.key };
    const offered = (await latest(question)).body.data.release;
    expect(offered.version).toBe('1.1.0');
    await suite.tenant.asOwner('POST', `/products/${product.id}/releases/${other.id}/yank`, { reason: 'It crashes.' });
    expect(refusal(await download(offered, license.key))).toEqual([404, 'RELEASE.NOT_FOUND']);
    expect((await latest(question)).body.data.release.version).toBe('1.0.0');
  });
});

describe('an application that looks for an update', () => {
  test('it gets the newest release for its platform that is newer, without an address', async () => {
    const { product, license } = await newSold();
    const mac = fileInput({ platform: 'macos', arch: 'universal', file_name: 'Editor.dmg' });
    const windows = fileInput();
    await newRelease(suite.tenant, product.id, '1.0.0');
    const second = await newRelease(suite.tenant, product.id, '1.1.0', { notes: 'Two', artifacts: [mac, windows] });
    await newRelease(suite.tenant, product.id, '1.2.0', { artifacts: [mac] });
    await newDraft(suite.tenant, product.id, '9.0.0');
    const question = { product: product.code, license_key: license.key };
    const { data } = (await latest({ ...question, current_version: '1.0.0' })).body;
    expect(data).toEqual({
      release: {
        ...{ id: second.id, version: '1.1.0', channel: 'stable', notes: 'Two', released_at: second.released_at },
        artifacts: [
          {
            ...{ id: second.artifacts[1].id, platform: 'windows', arch: 'x64', file_name: 'Editor.exe' },
            ...{ size: 1234, sha256: digest, signature: null },
          },
        ],
      },
      newest: { version: '1.1.0', released_at: second.released_at, code: null, detail: null },
      newest_permitted: { version: '1.1.0' },
    });
    const current = (await latest({ ...question, product: product.id, current_version: '1.1.0' })).body.data;
    expect(current).toEqual({ ...data, release: null });
    const onMac = (await latest({ ...question, platform: 'macos', arch: 'arm64' })).body.data;
    expect([onMac.release.version, onMac.release.artifacts.length]).toEqual(['1.2.0', 1]);
    expect((await latest({ ...question, platform: 'linux' })).body.data).toEqual({
      ...{ release: null, newest: null, newest_permitted: null },
    });
  });

  test('maintenance and entitlements decide, and the answer says why and what is permitted', async () => {
    const { product, license } = await newSold();
    await newRelease(suite.tenant, product.id, '1.0.0');
    clock.advance(1000);
    await newRelease(suite.tenant, product.id, '1.1.0', { minimum_entitlements: ['pro'] });
    const question = { product: product.code, license_key: license.key };
    const missing = (await latest(question)).body.data;
    expect([missing.release.version, missing.newest.code, missing.newest_permitted]).toEqual([
      ...['1.0.0', 'ENTITLEMENT.NOT_GRANTED', { version: '1.0.0' }],
    ]);
    await suite.tenant.asOwner('PUT', `/licenses/${license.id}`, { entitlements: [{ code: 'pro' }] });
    expect((await latest(question)).body.data.release.version).toBe('1.1.0');
    await endMaintenance(license.id);
    const late = await newRelease(suite.tenant, product.id, '2.0.0');
    const answer = (await latest({ ...question, current_version: '1.0.0' })).body.data;
    expect([answer.release.version, answer.newest.code]).toEqual(['1.1.0', 'LICENSE.MAINTENANCE_EXPIRED']);
    expect(answer.newest.detail).toMatch(/maintenance/);
    const refused = await download(late, license.key);
    expect(refusal(refused)).toEqual([422, 'LICENSE.MAINTENANCE_EXPIRED']);
    expect(refused.body.error.message).toContain('Renew it, or use version 1.1.0.');
    expect(refused.body.error.details).toEqual([{ field: 'newest_permitted', message: '1.1.0' }]);
    const forMac = await newRelease(suite.tenant, product.id, '2.1.0', {
      artifacts: [fileInput({ platform: 'macos' })],
    });
    expect((await download(forMac, license.key)).body.error.details).toBeUndefined();
    await suite.tenant.asOwner('POST', `/licenses/${license.id}/suspend`);
    const suspended = (await latest(question)).body.data;
    expect(suspended).toMatchObject({ release: null, newest: { code: 'LICENSE.SUSPENDED' }, newest_permitted: null });
  });

  test('a key that is absent, unknown or of another product gives no file', async () => {
    const { product } = await newSold();
    const other = await newSold();
    const release = await newRelease(suite.tenant, product.id, '1.0.0');
    const codeFor = async (keys: object) => {
      const { data } = (await latest({ product: product.code, ...keys })).body;
      expect(data).toMatchObject({ release: null, newest: { version: '1.0.0' }, newest_permitted: null });
      return data.newest.code;
    };
    expect(await codeFor({})).toBe('LICENSE.KEY_REQUIRED');
    expect(await codeFor({ license_key: 'UNKNOWN' })).toBe('LICENSE.NOT_FOUND');
    expect(await codeFor({ license_key: other.license.key })).toBe('LICENSE.PRODUCT_MISMATCH');
    expect(refusal(await latest({ product: 'unknown' }))).toEqual([404, 'PRODUCT.NOT_FOUND']);
    expect(refusal(await download(release, 'UNKNOWN'))).toEqual([404, 'LICENSE.NOT_FOUND']);
    expect(refusal(await download(release, other.license.key))).toEqual([422, 'LICENSE.PRODUCT_MISMATCH']);
    expect(JSON.stringify((await latest({ product: product.code })).body)).not.toContain('https://');
  });

  test('the channel decides which releases are seen', async () => {
    const { product, license } = await newSold();
    for (const [version, channel] of [
      ['1.0.0', 'stable'],
      ['1.1.0-beta', 'beta'],
      ['1.1.0-alpha', 'alpha'],
      ['1.2.0', 'nightly'],
    ]) {
      await newRelease(suite.tenant, product.id, String(version), { channel });
    }
    const seen = async (channel: string) =>
      (await latest({ product: product.code, license_key: license.key, channel })).body.data.release?.version;
    expect(await Promise.all(['stable', 'beta', 'alpha', 'nightly', 'other'].map(seen))).toEqual([
      ...['1.0.0', '1.1.0-beta', '1.1.0-beta', '1.2.0', '1.0.0'],
    ]);
  });

  test('it is told the newest permitted release of any set of releases', async () => {
    await fc.assert(
      fc.asyncProperty(setOfReleases, fc.boolean(), async (releases, hasPro) => {
        const entitlements = hasPro ? [{ code: 'pro' }] : [];
        const { product, license } = await newSold({}, { entitlements });
        await createAll(
          product.id,
          releases.filter(({ isLate }) => !isLate),
        );
        await endMaintenance(license.id);
        await createAll(
          product.id,
          releases.filter(({ isLate }) => isLate),
        );
        for (const channel of ['stable', 'beta']) {
          const permitted = releases.filter(
            (one) => one.status === 'published' && !one.isLate && (hasPro || !one.needsPro),
          );
          const seen = permitted.filter((one) => channel === 'beta' || one.channel === 'stable');
          const versions = seen.map(({ version }) => version);
          const question = { product: product.code, license_key: license.key, channel };
          const told = (await latest(question)).body.data.newest_permitted?.version ?? null;
          expect(told).toBe(maxSatisfying(versions, '*', { includePrerelease: true }));
        }
      }),
      { numRuns: 15 },
    );
  });

  test('an API key needs the scope, and one of another product knows neither product nor file', async () => {
    const { product, license } = await newSold();
    const release = await newRelease(suite.tenant, product.id, '1.0.0');
    const { id: otherId } = await newProduct(suite.tenant);
    const keyWith = async (fields: object) =>
      created(await suite.tenant.asOwner('POST', '/api-keys', { name: 'Updates', ...fields })).key;
    const question = { product: product.code, license_key: license.key };
    const bare = await latest(question, { 'x-api-key': await keyWith({}) });
    expect(refusal(bare)).toEqual([403, 'AUTH.SCOPE_REQUIRED']);
    const bound = await keyWith({ scopes: ['releases:read'], product_id: otherId });
    expect(refusal(await latest(question, { 'x-api-key': bound }))).toEqual([404, 'PRODUCT.NOT_FOUND']);
    const url = `/api/v1/integration/releases/${release.id}/artifacts/${release.artifacts[0].id}/download`;
    const payload = { license_key: license.key };
    const hidden = await suite.app.request({ method: 'POST', url, headers: { 'x-api-key': bound }, payload });
    expect(refusal(hidden)).toEqual([404, 'RELEASE.NOT_FOUND']);
  });
});

describe('the storage of a product', () => {
  const storage = {
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    region: 'eu-central-1',
    bucket: 'releases',
    access_key_id: 'AKIA0000',
  };
  const secret = 'very-secret-storage-key';

  test('the tests calculate the signature that AWS publishes for its example', () => {
    const link =
      'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=' +
      'AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400' +
      '&X-Amz-SignedHeaders=host';
    expect(storageSignature(link, 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY')).toBe(
      'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });

  test('a link to a private file is signed for five minutes, with neither secret nor key in any answer', async () => {
    const { product, license } = await newSold();
    const path = `/products/${product.id}`;
    const put = (download_storage: object | null) => suite.tenant.asOwner('PUT', path, { download_storage });
    expect(refusal(await put(storage))).toEqual([422, 'VALIDATION.FAILED']);
    expect((await put({ ...storage, endpoint: 'https://10.0.0.1', secret_access_key: secret })).status).toBe(422);
    const stored = await put({ ...storage, secret_access_key: secret });
    expect(stored.body.data.download_storage).toEqual(storage);
    const inPath = `${storage.endpoint}/releases/a%20b/Editor.exe`;
    const inHost = 'https://releases.s3.eu-central-1.amazonaws.com/Editor.exe';
    const outside = `${storage.endpoint}/releases-of-others/Editor.exe`;
    const artifacts = [inPath, inHost, outside].map((url) => fileInput({ url }));
    const release = await newRelease(suite.tenant, product.id, '1.0.0', { artifacts });
    const linkOf = async (index: number) =>
      (await download({ id: release.id, artifacts: [release.artifacts[index]] }, license.key)).body.data;
    const link = await linkOf(0);
    expect(Date.parse(link.expires_at) - Math.floor(Date.now() / 1000) * 1000).toBe(300_000);
    expect(link.url.startsWith(`${inPath}?`)).toBe(true);
    const query = new URL(link.url).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      'X-Amz-Expires': '300',
      'X-Amz-Credential': expect.stringMatching(/^AKIA0000\/\d{8}\/eu-central-1\/s3\/aws4_request$/),
      'X-Amz-Signature': storageSignature(link.url, secret),
    });
    const { url: ofHost } = await linkOf(1);
    expect(ofHost.startsWith(`${inHost}?`)).toBe(true);
    expect(new URL(ofHost).searchParams.get('X-Amz-Signature')).toBe(storageSignature(ofHost, secret));
    expect(await linkOf(2)).toMatchObject({ url: outside, expires_at: null });
    const again = await put({ ...storage, secret_access_key: 'another-secret' });
    expect((await linkOf(0)).url).not.toBe(link.url);
    await put(storage);
    const audit = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${product.id}`);
    for (const { text } of [stored, again, audit, await suite.tenant.asOwner('GET', '/products')]) {
      expect(text).not.toMatch(/very-secret|another-secret|sealed/);
    }
    expect((await put(null)).body.data.download_storage).toBeNull();
    expect(await linkOf(0)).toMatchObject({ url: inPath, expires_at: null });
  });
});

describe('the holder of a license', () => {
  test('the portal shows what the license permits, with the notes as they were written, and gives links', async () => {
    const product = await newProduct(suite.tenant);
    const policy = await newPolicy(suite.tenant, { product_id: product.id, duration_days: 365 });
    const holder = { email: 'ada@example.com' };
    const license = created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id, holder }));
    const strange = '# New\n<script>alert(1)</script> ![x](https://evil.example/x.png) [a](javascript:alert(1))';
    const first = await newRelease(suite.tenant, product.id, '1.0.0', { notes: strange });
    await endMaintenance(license.id);
    const second = await newRelease(suite.tenant, product.id, '2.0.0');
    const handle = await portalOf(suite.tenant);
    const token = await logInHolder(suite.app, suite.tenant, handle, license.id);
    const ask = (method: 'GET' | 'POST', path: string) =>
      askPortal(suite.app, handle, method, `/licenses/${license.id}/releases${path}`, {
        token,
        ...(method === 'POST' && { payload: {} }),
      });
    const [newest, oldest] = (await ask('GET', '')).body.data;
    expect([newest.version, newest.permitted, newest.code]).toEqual(['2.0.0', false, 'LICENSE.MAINTENANCE_EXPIRED']);
    expect([oldest.version, oldest.permitted, oldest.code]).toEqual(['1.0.0', true, null]);
    expect(oldest.artifacts).toEqual([
      {
        ...{ id: first.artifacts[0].id, platform: 'windows', arch: 'x64' },
        ...{ file_name: 'Editor.exe', size: 1234, sha256: digest },
      },
    ]);
    // The page makes elements of the Markdown, and its tests prove that they are harmless.
    expect(oldest.notes).toBe(strange);
    const link = await ask('POST', `/${first.id}/artifacts/${first.artifacts[0].id}/download`);
    expect([link.body.data.url, link.headers['cache-control']]).toEqual([first.artifacts[0].url, 'no-store']);
    const denied = await ask('POST', `/${second.id}/artifacts/${second.artifacts[0].id}/download`);
    expect(refusal(denied)).toEqual([422, 'LICENSE.MAINTENANCE_EXPIRED']);
    for (let minor = 1; minor < 20; minor += 1) await newRelease(suite.tenant, product.id, `2.${minor}.0`);
    const many = (await ask('GET', '')).body.data;
    expect([many.length, many.at(-1).version, many.at(-1).permitted]).toEqual([21, '1.0.0', true]);
  });
});
