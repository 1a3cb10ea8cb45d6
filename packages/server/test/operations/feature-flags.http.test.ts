import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { type Account, createAdmin } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';

const suite = useApp();
let admin: Account;

beforeAll(async () => {
  admin = await createAdmin(suite.app, 'admin');
});

const flags = '/api/v1/admin/feature-flags';
const definition = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' };

function send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) {
  return suite.app.request({ method, url: flags + path, headers: admin.auth, ...(payload && { payload }) });
}

async function create(fields: object = {}) {
  const answer = await send('POST', '', { key: `flag-${newId()}`, definition, ...fields });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body.data;
}

async function auditOf(id: string) {
  const url = `/api/v1/admin/audit?resource_type=feature_flag&resource_id=${id}`;
  const answer = await suite.app.request({ method: 'GET', url, headers: admin.auth });
  return answer.body.data.map(({ event, actor_id, changes }: Record<string, unknown>) => ({
    event,
    actor_id,
    changes,
  }));
}

test('a flag can be created, read, changed, listed and deleted, and each change is audited', async () => {
  const key = `checkout.v2-${newId()}`;
  const created = await create({ key, description: 'The new checkout' });
  expect(created).toEqual({
    id: expect.any(String),
    key,
    description: 'The new checkout',
    definition,
    created_at: expect.any(String),
    updated_at: created.created_at,
  });
  expect((await send('GET', `/${created.id}`)).body.data).toEqual(created);

  const disabled = { ...definition, state: 'DISABLED' };
  const changed = await send('PUT', `/${created.id}`, { definition: disabled, description: null });
  expect(changed.body.data).toMatchObject({ key, description: null, definition: disabled });
  expect((await send('PUT', `/${created.id}`, { definition: disabled })).body.data).toEqual(changed.body.data);
  expect((await send('GET', `?key=${key}`)).body.data).toEqual([changed.body.data]);

  const deleted = await send('DELETE', `/${created.id}`);
  expect([deleted.status, deleted.body.data]).toEqual([200, { deleted: true, id: created.id }]);
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    const answer = await send(method, `/${created.id}`, method === 'PUT' ? {} : undefined);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'RESOURCE.NOT_FOUND']);
  }
  expect(await auditOf(created.id)).toEqual([
    { event: 'FEATURE_FLAG.DELETED', actor_id: admin.id, changes: [] },
    {
      event: 'FEATURE_FLAG.UPDATED',
      actor_id: admin.id,
      changes: [
        { field: 'description', old: 'The new checkout', new: null },
        { field: 'definition', old: definition, new: disabled },
      ],
    },
    {
      event: 'FEATURE_FLAG.CREATED',
      actor_id: admin.id,
      changes: [
        { field: 'key', old: null, new: key },
        { field: 'description', old: null, new: 'The new checkout' },
        { field: 'definition', old: null, new: definition },
      ],
    },
  ]);
});

test('of eight concurrent creations of a flag with one key exactly one succeeds', async () => {
  const key = `same-${newId()}`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => send('POST', '', { key, definition })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body.error).toMatchObject({ code: 'FEATURE_FLAG.KEY_TAKEN', details: [{ field: 'key' }] });
});

test('a flag cannot be given the key of another flag', async () => {
  const [first, second] = [await create(), await create()];
  const answer = await send('PUT', `/${first.id}`, { key: second.key });
  expect([answer.status, answer.body.error.code]).toEqual([409, 'FEATURE_FLAG.KEY_TAKEN']);
});

describe('invalid flags', () => {
  const bad = { ...definition, variants: { on: true, off: 'no' }, targeting: { if: [{ equals: [1, 1] }, 'on'] } };

  test('a definition that flagd cannot evaluate is refused with every path, and nothing is stored', async () => {
    const flag = await create();
    for (const answer of [
      await send('POST', '', { key: `bad-${newId()}`, definition: bad }),
      await send('PUT', `/${flag.id}`, { definition: bad }),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION.FAILED']);
      expect(answer.body.error.details.map(({ field }: { field: string }) => field)).toEqual([
        'definition.variants.off',
        'definition.targeting.if.0.equals',
      ]);
    }
    expect((await send('GET', `/${flag.id}`)).body.data).toEqual(flag);
    expect(await auditOf(flag.id)).toHaveLength(1);
  });

  test.each([
    ['a definition in a list', { key: 'k', definition: [definition] }, 'definition'],
    ['a definition that is null', { key: 'k', definition: null }, 'definition'],
  ])('the creation of a flag with %s is refused with status 422', async (_title, payload, field) => {
    const answer = await send('POST', '', payload);
    expect([answer.status, answer.body.error.details[0].field]).toEqual([422, field]);
  });
});

test('the creation of a flag is refused when there are 1,000 flags', async () => {
  const { platform, clock } = suite.app.services;
  const at = clock.now();
  const definition_json = JSON.stringify(definition);
  const rows = Array.from({ length: 1000 }, (_, index) => {
    return { id: newId(), key: `many-${index}`, description: null, definition_json, created_at: at, updated_at: at };
  });
  await platform.query.insertInto('feature_flags').values(rows).execute();
  const answer = await send('POST', '', { key: 'one-too-many', definition });
  expect([answer.status, answer.body.error.code]).toEqual([409, 'FEATURE_FLAG.TOO_MANY']);
  await platform.query.deleteFrom('feature_flags').where('key', 'like', 'many-%').execute();
});
