import { beforeAll, describe, expect, test } from 'vitest';
import { createTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { badFields, created, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();
let stranger: TestTenant;

beforeAll(async () => {
  stranger = await createTenant(suite.app, suite.admin, 'Other');
});

const activate = async (key: string, fingerprint: string, fields: object = {}) =>
  created(await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint, ...fields }));
const list = (key: string, body: object = {}) => suite.tenant.asApplication(`/licenses/${key}/activations/list`, body);
const release = (key: string, id: string) =>
  suite.tenant.asApplication(`/licenses/${key}/activations/${id}/deactivate`);
const idsOf = ({ body }: Answer): string[] => body.data.activations.map(({ id }: { id: string }) => id);

describe('the devices of a license', () => {
  test('a device that gets no seat finds the others and releases one of them', async () => {
    const { key } = await newLicense(suite.tenant, { max_activations: 1 });
    const other = await activate(key, 'other', { name: 'Office computer', platform: 'windows' });
    const refused = await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'this' });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'ACTIVATION.LIMIT_REACHED']);
    expect(refused.body.error.message).toContain('POST /integration/licenses/{key}/activations/list');
    const { status, body } = await list(key, { fingerprint: 'this' });
    expect([status, body.data.next_cursor]).toEqual([200, null]);
    const { last_heartbeat_at, created_at } = other;
    const seen = { id: other.id, name: 'Offi…', platform: 'windows', last_heartbeat_at, created_at };
    expect(body.data.activations).toEqual([{ ...seen, is_this_device: false }]);
    expect((await release(key, other.id)).status).toBe(200);
    await activate(key, 'this', { name: 'Laptop' });
    const after = await list(key, { fingerprint: 'this' });
    expect(after.body.data.activations).toMatchObject([{ name: 'Lap…', is_this_device: true }]);
  });

  test('a listed device shows no fingerprint, host name, address and metadata, and the beginning of its name', async () => {
    const { key } = await newLicense(suite.tenant);
    const secret = { hostname: 'ada-lovelace.corp.example', metadata: { owner: 'Ada Lovelace' } };
    await activate(key, 'fingerprint-of-ada', { ...secret, name: "Ada Lovelace's laptop" });
    await activate(key, 'fingerprint-of-grace', { ...secret, name: null });
    const { text, body } = await list(key);
    expect(body.data.activations).toMatchObject([{ name: 'ada-…' }, { name: 'Ada…' }]);
    for (const hidden of ['fingerprint-of', 'lovelace', 'Lovelace', 'corp', '127.0.0.1', 'owner']) {
      expect(text).not.toContain(hidden);
    }
  });

  test('released devices and those whose lease has ended are not listed; a heartbeat is', async () => {
    const { key } = await newLicense(suite.tenant, { lease_seconds: 60 });
    const [silent, alive, gone] = [await activate(key, 'a'), await activate(key, 'b'), await activate(key, 'c')];
    await release(key, gone.id);
    expect(idsOf(await list(key))).toEqual([alive.id, silent.id]);
    clock.advance(40_000);
    const beat = await suite.tenant.asApplication(`/licenses/${key}/activations/${alive.id}/heartbeat`);
    clock.advance(30_000);
    const { last_heartbeat_at } = beat.body.data;
    expect((await list(key)).body.data.activations).toMatchObject([{ id: alive.id, last_heartbeat_at }]);
  });

  test('many devices are listed in pages, newest activation first, each once, and a page is bounded', async () => {
    const { key } = await newLicense(suite.tenant);
    const ids: string[] = [];
    for (let index = 0; index < 27; index += 1) ids.unshift((await activate(key, `device-${index}`)).id);
    const first = await list(key);
    expect(idsOf(first)).toEqual(ids.slice(0, 25));
    const rest = await list(key, { cursor: first.body.data.next_cursor });
    expect([idsOf(rest), rest.body.data.next_cursor]).toEqual([ids.slice(25), null]);
    expect(idsOf(await list(key, { limit: 100 }))).toEqual(ids);
    const refused = await list(key, { limit: 101, cursor: 7, fingerprint: '', all: true });
    expect([refused.status, badFields(refused)]).toEqual([422, ['all', 'cursor', 'fingerprint', 'limit']]);
    expect((await list(key, { cursor: 'x' })).status).toBe(422);
  });

  test.each(['suspend', 'revoke'])('can be listed after %s, as they can be released', async (action) => {
    const { id, key } = await newLicense(suite.tenant);
    const device = await activate(key, 'a');
    await suite.tenant.asOwner('POST', `/licenses/${id}/${action}`);
    expect(idsOf(await list(key))).toEqual([device.id]);
    expect((await release(key, device.id)).status).toBe(200);
  });

  test('a key as a person types it lists the same devices', async () => {
    const { key } = await newLicense(suite.tenant);
    const device = await activate(key, 'a');
    expect(idsOf(await list(encodeURIComponent(` ${key.toLowerCase()} `)))).toEqual([device.id]);
  });

  test('only the devices of the license are listed: not those of another license, of another tenant or of a deleted license', async () => {
    const [own, sibling, deleted] = [
      await newLicense(suite.tenant),
      await newLicense(suite.tenant),
      await newLicense(suite.tenant),
    ];
    const foreign = await newLicense(stranger);
    for (const { key } of [sibling, deleted]) await activate(key, 'same-device');
    await suite.tenant.asOwner('DELETE', `/licenses/${deleted.id}`);
    expect(idsOf(await list(own.key, { fingerprint: 'same-device' }))).toEqual([]);
    for (const key of [foreign.key, deleted.key, 'UNKNOWN', '%F0%9F%94%91']) {
      const answer = await list(key);
      expect([answer.status, answer.body.error.code]).toEqual([404, 'LICENSE.NOT_FOUND']);
    }
  });

  test('a release of another device counts against max_deactivations and is audited with the API key', async () => {
    const { key } = await newLicense(suite.tenant, { max_deactivations: 1 });
    const [first, second] = [await activate(key, 'a'), await activate(key, 'b')];
    expect((await release(key, first.id)).status).toBe(200);
    const refused = await release(key, second.id);
    expect([refused.status, refused.body.error.code]).toEqual([422, 'ACTIVATION.DEACTIVATION_LIMIT_REACHED']);
    expect(idsOf(await list(key))).toEqual([second.id]);
    const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${first.id}`);
    expect(body.data[0]).toMatchObject({ event: 'ACTIVATION.DEACTIVATED', actor_type: 'api_key' });
  });
});
