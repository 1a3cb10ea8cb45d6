import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import { badFields, created, defineEntitlements, eventsOf, newProduct } from '../support/licensing-catalog.ts';
import { digest, fileInput, newDraft, newRelease, refusal } from './release-data.ts';

const suite = useTenant();
let product: { readonly id: string };
let path: string;

beforeAll(async () => {
  product = await newProduct(suite.tenant);
  path = `/products/${product.id}/releases`;
});

const own = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', rest: string, payload?: object) =>
  suite.tenant.asOwner(method, `${path}${rest}`, payload);
const asAdmin = (method: 'GET' | 'POST', rest: string) =>
  suite.asAdmin(method, `/tenants/${suite.tenant.id}${path}${rest}`);

describe('the releases of a product', () => {
  test('a draft is changed by field, published once, withdrawn with a reason, and all of it is audited', async () => {
    const draft = created(await own('POST', '', { version: '1.0.0' }));
    expect(draft).toMatchObject({ version: '1.0.0', channel: 'stable', status: 'draft', notes: '', artifacts: [] });
    expect(refusal(await own('POST', `/${draft.id}/publish`, {}))).toEqual([409, 'RELEASE.ARTIFACT_REQUIRED']);
    const file = fileInput({ sha256: digest.toUpperCase(), signature: 'c2lnbmF0dXJl' });
    const changed = await own('PUT', `/${draft.id}`, { notes: '# New', channel: 'beta', artifacts: [file] });
    expect(changed.body.data).toMatchObject({ notes: '# New', channel: 'beta', version: '1.0.0' });
    expect(changed.body.data.artifacts).toEqual([{ ...file, sha256: digest, id: expect.any(String) }]);
    const kept = await own('PUT', `/${draft.id}`, { artifacts: [fileInput(), file] });
    expect(kept.body.data.artifacts[1].id).toBe(changed.body.data.artifacts[0].id);
    const published = await own('POST', `/${draft.id}/publish`, {});
    expect(published.body.data).toMatchObject({ status: 'published', released_at: expect.any(String) });
    expect((await own('POST', `/${draft.id}/publish`, {})).body.data).toEqual(published.body.data);
    for (const refused of [await own('PUT', `/${draft.id}`, { notes: 'Later' }), await own('DELETE', `/${draft.id}`)]) {
      expect(refusal(refused)).toEqual([409, 'RELEASE.TRANSITION_INVALID']);
    }
    const yanked = await own('POST', `/${draft.id}/yank`, { reason: 'It loses files.' });
    expect(yanked.body.data).toMatchObject({ status: 'yanked', yanked_reason: 'It loses files.' });
    expect((await own('POST', `/${draft.id}/yank`, { reason: 'Again' })).body.data).toEqual(yanked.body.data);
    expect(refusal(await own('POST', `/${draft.id}/publish`, {}))).toEqual([409, 'RELEASE.TRANSITION_INVALID']);
    expect((await own('GET', `/${draft.id}`)).body.data).toEqual(yanked.body.data);
    expect((await asAdmin('GET', `/${draft.id}`)).body.data).toEqual(yanked.body.data);
    expect((await asAdmin('POST', `/${draft.id}/publish`)).status).toBe(404);
    expect(await eventsOf(suite.tenant, draft.id)).toEqual(
      ['YANKED', 'PUBLISHED', 'UPDATED', 'UPDATED', 'CREATED'].map((verb) => `RELEASE.${verb}`),
    );
  });

  test('a draft is deleted; a withdrawn or published release keeps its product', async () => {
    const { id } = await newDraft(suite.tenant, product.id, '7.0.0');
    expect(refusal(await own('POST', `/${id}/yank`, { reason: 'No' }))).toEqual([409, 'RELEASE.TRANSITION_INVALID']);
    expect((await own('DELETE', `/${id}`)).body.data).toEqual({ deleted: true, id });
    expect(refusal(await own('GET', `/${id}`))).toEqual([404, 'RELEASE.NOT_FOUND']);
    const { id: productId } = await newProduct(suite.tenant);
    await newRelease(suite.tenant, productId, '1.0.0');
    expect(refusal(await suite.tenant.asOwner('DELETE', `/products/${productId}`))).toEqual([409, 'PRODUCT.IN_USE']);
  });

  test('a version is unique within its product, also if only the build differs', async () => {
    await newDraft(suite.tenant, product.id, '2.0.0+1');
    const other = await newDraft(suite.tenant, product.id, '2.0.1');
    for (const taken of [
      await own('POST', '', { version: '2.0.0+1' }),
      await own('POST', '', { version: '2.0.0' }),
      await own('PUT', `/${other.id}`, { version: '2.0.0+2' }),
    ]) {
      expect(refusal(taken)).toEqual([409, 'RELEASE.VERSION_TAKEN']);
    }
    expect((await newDraft(suite.tenant, (await newProduct(suite.tenant)).id, '2.0.0')).version).toBe('2.0.0');
  });

  test('pages have the newest version first, with filters by status and channel', async () => {
    const { id } = await newProduct(suite.tenant);
    const versions = ['1.2.0', '1.10.0', '1.10.0-rc.2', '1.10.0-rc.10', '2.0.0-alpha'];
    for (const version of versions)
      await newDraft(suite.tenant, id, version, { channel: version.slice(0, 1) === '2' ? 'alpha' : 'stable' });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await suite.tenant.asOwner('GET', `/products/${id}/releases?limit=2${query}`);
      seen.push(...page.body.data.map(({ version }: { version: string }) => version));
      cursor = page.body.meta.next_cursor;
    }
    expect(seen).toEqual(['2.0.0-alpha', '1.10.0', '1.10.0-rc.10', '1.10.0-rc.2', '1.2.0']);
    const listed = async (query: string) =>
      (await suite.tenant.asOwner('GET', `/products/${id}/releases?${query}`)).body.data.length;
    expect([await listed('channel=alpha'), await listed('status=published')]).toEqual([1, 0]);
    expect((await suite.tenant.asOwner('GET', `/products/${id}/releases?cursor=Jw`)).status).toBe(422);
    for (const unknown of ['', `/${newId()}`]) {
      expect((await suite.tenant.asOwner('GET', `/products/${newId()}/releases${unknown}`)).status).toBe(404);
    }
    expect((await suite.tenant.asOwner('POST', `/products/${newId()}/releases`, { version: '1.0.0' })).status).toBe(
      404,
    );
  });

  test.for([
    ['http://downloads.example.com/a.exe'],
    ['https://user:pass@downloads.example.com/a.exe'],
    ['https://localhost/a.exe'],
    ['https://127.1/a.exe'],
    ['https://169.254.169.254/latest/meta-data'],
    ['https://[::1]/a.exe'],
    ['javascript:alert(1)'],
    ['https://downloads.example.com/a.exe#part'],
  ])('the address %s is refused', async ([url]) => {
    const answer = await own('POST', '', { version: '9.0.0', artifacts: [fileInput(), fileInput({ url })] });
    expect([answer.status, badFields(answer)]).toEqual([422, ['artifacts.1.url']]);
  });

  test.for<[string, object]>([
    ['version', { version: '1.0' }],
    ['version', { version: 'v1.0.0' }],
    ['minimum_entitlements.0', { minimum_entitlements: ['unknown'] }],
    ['artifacts.0.file_name', { artifacts: [fileInput({ file_name: '../a.exe' })] }],
    ['artifacts.0.sha256', { artifacts: [fileInput({ sha256: 'abc' })] }],
    ['artifacts.0.signature', { artifacts: [fileInput({ signature: 'a\u0001' })] }],
  ])('an invalid %s is refused', async ([field, input]) => {
    const answer = await own('POST', '', { version: '9.0.0', ...input });
    expect([answer.status, badFields(answer)]).toEqual([422, [field]]);
  });

  test('an access token creates and publishes, and a repeated creation has the same release', async () => {
    await defineEntitlements(suite.tenant, { pro: 'boolean' });
    const fields = { name: 'Builds', role: 'admin' };
    const { token } = created(await suite.tenant.asOwner('POST', '/access-tokens', fields));
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': newId() };
    const url = `/api/v1/tenant${path}`;
    const payload = { version: '3.0.0', minimum_entitlements: ['pro'], artifacts: [fileInput()] };
    const [first, again] = [
      await suite.app.request({ method: 'POST', url, headers, payload }),
      await suite.app.request({ method: 'POST', url, headers, payload }),
    ];
    expect([first.status, again.body.data]).toEqual([201, first.body.data]);
    const publish = { method: 'POST' as const, url: `${url}/${first.body.data.id}/publish`, headers, payload: {} };
    expect((await suite.app.request(publish)).body.data).toMatchObject({
      status: 'published',
      minimum_entitlements: ['pro'],
    });
  });

  test('publishing and withdrawing are events, only for endpoints of the product', async () => {
    const events = ['release.published', 'release.yanked'];
    const endpoint = async (product_id: string) =>
      created(
        await suite.tenant.asOwner('POST', '/webhooks', { url: 'https://hooks.example.com/', events, product_id }),
      );
    const [ofOwn, ofOther] = [await endpoint(product.id), await endpoint((await newProduct(suite.tenant)).id)];
    const { id } = await newRelease(suite.tenant, product.id, '4.0.0');
    await own('POST', `/${id}/yank`, { reason: 'It loses files.' });
    const typesOf = async (webhook: { id: string }) =>
      (await suite.tenant.asOwner('GET', `/webhook-deliveries?webhook_id=${webhook.id}`)).body.data
        .map(({ event_type }: { event_type: string }) => event_type)
        .sort();
    expect([await typesOf(ofOwn), await typesOf(ofOther)]).toEqual([events, []]);
  });
});
