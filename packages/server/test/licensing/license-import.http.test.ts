import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { isReceiving } from '../../src/http/streamed-body.ts';
import { newId } from '../../src/lib/ids.ts';
import {
  type Account,
  createAdmin,
  createTenant,
  createUser,
  joinTenant,
  type TestTenant,
} from '../support/accounts.ts';
import { type Answer, useApp } from '../support/harness.ts';
import { eventsOf, newPolicy } from '../support/licensing-catalog.ts';
import { openSocket, portOf, readAnswers } from '../support/raw-http.ts';
import { countAllRows } from '../support/row-counts.ts';
import { csv, expectNothingWritten, type SentFile, sendFile } from './license-files.ts';

const suite = useApp();
let admin: Account;
let tenant: TestTenant;
let policy: { readonly id: string; readonly code: string; readonly product_id: string };

beforeAll(async () => {
  await suite.app.listen();
  admin = await createAdmin(suite.app);
  tenant = await createTenant(suite.app, admin);
  policy = await newPolicy(tenant, { code: 'yearly', duration_days: 365 });
});

const importFile = (payload: string | Buffer, sent: SentFile = {}) => sendFile(suite.app, tenant, payload, sent);

async function licenseOf(key: string) {
  const { body } = await tenant.asOwner('GET', `/licenses?key=${key}`);
  return body.data[0];
}

const expectUnchanged = (work: () => Promise<unknown>) => expectNothingWritten(suite.app, tenant, work);

/** The beginning of a request that imports CSV. */
const head = () =>
  [
    'POST /api/v1/tenant/licenses/import HTTP/1.1',
    'host: localhost',
    'connection: close',
    `authorization: ${tenant.owner.auth.authorization}`,
    'content-type: text/csv',
  ].join('\r\n');

describe('all or nothing', () => {
  test('tells every bad row at once, keys that are taken included', async () => {
    await importFile(csv('policy,key', 'yearly,TAKEN-1'));
    await expectUnchanged(async () => {
      const bad = await importFile(
        csv('policy,key,max_activations', 'yearly,N-1,1', 'no,N-2,x', 'yearly,N-3,-1', 'yearly,TAKEN-1,'),
      );
      expect(bad.body.error.details.map(({ row, field }: { row: number; field: string }) => [row, field])).toEqual([
        [2, 'max_activations'],
        [2, 'policy'],
        [3, 'max_activations'],
        [4, 'key'],
      ]);
      const rows = Array.from(
        { length: 1_500 },
        (_, index) => `yearly,${index % 600 === 599 ? 'TAKEN-1' : `N-${index}`}`,
      );
      const once = rows.map((row, index) => (index > 599 && row.endsWith('TAKEN-1') ? `yearly,M-${index}` : row));
      const taken = await importFile(csv('policy,key', ...once));
      expect(taken.body.error.details).toEqual([{ row: 600, field: 'key', message: 'is the key of another license' }]);
    });
  });

  test('5,000 rows are made, and audited with the actor of the surface', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => `yearly,BULK-${index}`);
    const before = await countAllRows(suite.app, tenant.id);
    expect((await importFile(csv('policy,key', ...rows))).body.data.created).toBe(5_000);
    const after = await countAllRows(suite.app, tenant.id);
    expect((after['tenant.licenses'] ?? 0) - (before['tenant.licenses'] ?? 0)).toBe(5_000);
    expect((after['tenant.audit_logs'] ?? 0) - (before['tenant.audit_logs'] ?? 0)).toBe(5_000);
    const { id } = await licenseOf('BULK-4999');
    const { body } = await tenant.asOwner('GET', `/audit-logs?resource_id=${id}`);
    expect(body.data).toMatchObject([{ event: 'LICENSE.CREATED', actor_type: 'user', actor_id: tenant.owner.id }]);
  });

  test('of parallel imports of the same keys exactly one wins', async () => {
    const rows = Array.from({ length: 700 }, (_, index) => `yearly,RACE-${index}`);
    const files = [rows, rows.toReversed(), rows, rows.toReversed()].map((some) => csv('policy,key', ...some));
    const answers = await Promise.all(files.map((file) => importFile(file)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
    for (const { status, body } of answers) if (status === 422) expect(body.error.details).toHaveLength(700);
  });

  test('beside single creations of the same keys nothing is made twice, and nothing fails otherwise', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `yearly,MIX-${index}`);
    const single = (index: number) =>
      tenant.asOwner('POST', '/licenses', { policy_id: policy.id, key: `MIX-${index}` });
    const [whole, ...others] = await Promise.all([
      importFile(csv('policy,key', ...rows)),
      single(0),
      single(150),
      single(299),
    ]);
    const expected = whole?.status === 200 ? 409 : 201;
    expect(others.map(({ status }) => status)).toEqual([expected, expected, expected]);
  });
});

describe('with partial=true', () => {
  const partial = { query: '?partial=true' };

  test('the good rows are kept, and the others told by row, field and reason', async () => {
    await importFile(csv('policy,key', 'yearly,PART-TAKEN'));
    const file = csv(
      'policy,key,holder_email',
      'yearly,PART-1,',
      'none,PART-2,x',
      'yearly,PART-TAKEN,',
      'yearly,PART-3,',
    );
    const answer = await importFile(file, partial);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      created: 2,
      failed: 2,
      errors: [
        { row: 2, field: 'holder_email', message: expect.any(String) },
        { row: 2, field: 'policy', message: 'must be the code of an existing policy' },
        { row: 3, field: 'key', message: 'is the key of another license' },
      ],
    });
    const found = await Promise.all(['PART-1', 'PART-2', 'PART-3'].map(licenseOf));
    expect(found.map((license) => license?.key)).toEqual(['PART-1', undefined, 'PART-3']);
  });

  test('a file that cannot be read as rows is refused as a whole', async () => {
    await expectUnchanged(async () => {
      const answer = await importFile(csv('policy,key', 'yearly,UNREADABLE', 'yearly,"x'), partial);
      expect([answer.status, answer.body.error.code]).toEqual([422, 'IMPORT.REJECTED']);
    });
  });

  test('of parallel imports of the same keys each key is made once', async () => {
    const file = csv('policy,key', ...Array.from({ length: 1_100 }, (_, index) => `yearly,PRACE-${index}`));
    const answers = await Promise.all([importFile(file, partial), importFile(file, partial)]);
    const sum = (field: 'created' | 'failed') => answers.reduce((total, { body }) => total + body.data[field], 0);
    expect([sum('created'), sum('failed')]).toEqual([1_100, 1_100]);
  });

  test.each([['partial=maybe'], ['nmae=1']])('the query %s is refused', async (query) => {
    expect((await importFile(csv('policy', 'yearly'), { query: `?${query}` })).status).toBe(422);
  });
});

describe('the request', () => {
  test.each<[string, SentFile, string | Buffer, number, string]>([
    ['JSON', { type: 'application/json' }, '{}', 415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE'],
    [
      'another charset',
      { type: 'text/csv; charset=latin1' },
      csv('policy', 'yearly'),
      415,
      'REQUEST.UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a Content-Encoding', { headers: { 'content-encoding': 'gzip' } }, 'x', 415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE'],
    [
      'an Idempotency-Key of a wrong form',
      { headers: { 'idempotency-key': 'a b' } },
      csv('policy', 'yearly'),
      400,
      'REQUEST.MALFORMED',
    ],
  ])('with %s is refused', async (_what, sent, payload, status, code) => {
    await expectUnchanged(async () => {
      const answer = await importFile(payload, sent);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    });
  });

  test('without a body is refused', async () => {
    const answer = await tenant.asOwner('POST', '/licenses/import');
    expect([answer.status, answer.body.error.code]).toEqual([415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE']);
  });

  test('of text/csv is refused where no file is taken', async () => {
    const answer = await suite.app.request({
      method: 'POST',
      url: '/api/v1/tenant/licenses',
      headers: { ...tenant.owner.auth, 'content-type': 'text/csv' },
      payload: csv('policy', 'yearly'),
    });
    expect(answer.status).toBe(415);
  });

  test('that announces more than 256 MiB is a 413, before anything is read', async () => {
    await expectUnchanged(async () => {
      const [answer] = await sendRaw(`content-length: ${256 * 1024 * 1024 + 1}\r\n\r\npolicy\n`, { end: true });
      expect(answer?.status).toBe(413);
      expect(JSON.parse(answer?.body ?? '').error.code).toBe('REQUEST.TOO_LARGE');
    });
  });

  test('whose body is cut midway writes nothing', async () => {
    await expectUnchanged(async () => {
      await sendRaw('content-length: 1000\r\n\r\npolicy,key\nyearly,CUT-1\n', { destroy: true });
      // Answered after the cut connection was noticed: the two share the event loop and come in order.
      expect((await importFile(csv('policy', 'none'))).status).toBe(422);
      expect(await licenseOf('CUT-1')).toBeUndefined();
    });
  });

  test('in many small pieces is read as in one', async () => {
    const file = csv('policy,key,holder_name', 'yearly,PIECES-1,Käthe 💥', 'yearly,PIECES-2,"a\nb"');
    const bytes = Buffer.from(file);
    const coding = 'transfer-encoding: chunked\r\n\r\n';
    const chunks = [...bytes].map((byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]),
    );
    const [answer] = await sendRaw(Buffer.concat([Buffer.from(coding), ...chunks, Buffer.from('0\r\n\r\n')]), {
      end: true,
    });
    expect(answer?.status, answer?.body).toBe(200);
    expect(await licenseOf('PIECES-1')).toMatchObject({ holder: { name: 'Käthe 💥' } });
    expect(await licenseOf('PIECES-2')).toMatchObject({ holder: { name: 'a\nb' } });
  });

  test('that takes longer than other requests may is not cut while it comes', async () => {
    const { server } = suite.app.http;
    const connected = once(server, 'connection');
    const socket = await openSocket(portOf(suite.app));
    const [connection] = await connected;
    const answers = readAnswers(socket);
    const file = csv('policy,key', 'yearly,SLOW-1');
    socket.write(`${head()}\r\ncontent-length: ${file.length}\r\n\r\npolicy`);
    while (!isReceiving(connection)) await nextTurn();
    // What Node tells of a request that is not complete after 60 s.
    server.emit('clientError', Object.assign(new Error('slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), connection);
    socket.write(file.slice('policy'.length));
    const [answer] = await answers;
    expect(answer?.status, answer?.body).toBe(200);
    expect(await licenseOf('SLOW-1')).toMatchObject({ key: 'SLOW-1' });
  });

  async function sendRaw(rest: string | Buffer, how: { readonly end?: true; readonly destroy?: true }) {
    const socket = await openSocket(portOf(suite.app));
    const answers = readAnswers(socket);
    socket.write(Buffer.concat([Buffer.from(`${head()}\r\n`), Buffer.from(rest)]));
    if (how.end) return await answers;
    socket.destroy();
    await once(socket, 'close');
    return [];
  }
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string, query = '') => ({ query, headers: { 'idempotency-key': key } });

  test.each(['', '?partial=true'])('makes the import %s safe to send again', async (query) => {
    const [key, name] = [newId(), newId()];
    const file = csv('policy,key', `yearly,${name}`);
    const first = await importFile(file, keyed(key, query));
    const again = await importFile(file, keyed(key, query));
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([200, 200, 'true']);
    expect(again.body.data).toEqual(first.body.data);
    expect(await eventsOf(tenant, (await licenseOf(name)).id)).toEqual(['LICENSE.CREATED']);
    const other = await importFile(`${file}yearly,${newId()}\n`, keyed(key, query));
    expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY.KEY_REUSED']);
  });

  test('is free again after a refusal', async () => {
    const key = newId();
    expect((await importFile(csv('policy', 'none'), keyed(key))).status).toBe(422);
    expect((await importFile(csv('policy', 'yearly'), keyed(key))).status).toBe(200);
  });

  test('lets one of two at once through', async () => {
    const [key, name] = [newId(), newId()];
    const answers = await Promise.all([1, 2].map(() => importFile(csv('policy,key', `yearly,${name}`), keyed(key))));
    const statuses = answers.map(({ status }: Answer) => status).sort();
    expect([
      [200, 200],
      [200, 409],
    ]).toContainEqual(statuses);
    expect(await eventsOf(tenant, (await licenseOf(name)).id)).toEqual(['LICENSE.CREATED']);
  });
});

describe('who may import', () => {
  test('an admin may, and the audit log says so', async () => {
    const name = newId();
    const answer = await suite.app.request({
      method: 'POST',
      url: `/api/v1/admin/tenants/${tenant.id}/licenses/import`,
      headers: { ...admin.auth, 'content-type': 'text/csv' },
      payload: csv('policy,key', `yearly,${name}`),
    });
    expect(answer.status).toBe(200);
    const { body } = await tenant.asOwner('GET', `/audit-logs?resource_id=${(await licenseOf(name)).id}`);
    expect(body.data).toMatchObject([{ event: 'LICENSE.CREATED_BY_ADMIN', actor_type: 'admin', actor_id: admin.id }]);
  });

  test('a viewer may not', async () => {
    const viewer = await createUser(suite.app);
    await joinTenant(suite.app, viewer, tenant.id, 'viewer');
    const answer = await importFile(csv('policy', 'yearly'), { headers: viewer.auth });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH.ROLE_REQUIRED']);
  });

  test('a policy of another tenant is none', async () => {
    const other = await createTenant(suite.app, admin);
    const foreign = await newPolicy(other);
    const details = async (id: string) => (await importFile(csv('policy_id', id))).body.error.details;
    expect(await details(foreign.id)).toEqual(await details(newId()));
  });
});

test('a caller that leaves before the answer leaves nothing behind', async () => {
  const finish = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const bulk = suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
    db.bulkTransaction(async () => {
      began.resolve();
      await finish.promise;
    }),
  );
  await began.promise;
  const connected = once(suite.app.http.server, 'connection');
  const socket = await openSocket(portOf(suite.app));
  const [connection] = await connected;
  const closed = once(connection, 'close');
  const file = csv('policy,key', 'yearly,GONE-1');
  socket.write(`${head()}\r\ncontent-length: ${file.length}\r\n\r\npolicy`);
  while (!isReceiving(connection)) await nextTurn();
  socket.write(file.slice('policy'.length));
  while (isReceiving(connection)) await nextTurn();
  socket.destroy();
  await closed;
  finish.resolve();
  await bulk;
  expect((await importFile(csv('policy,key', 'yearly,AFTER-1'))).status).toBe(200);
  expect(await licenseOf('GONE-1')).toBeUndefined();
});

test('while licenses are written in bulk, their tenant validates and reads, and other writers go on after it', async () => {
  const [key, later] = [newId(), newId()];
  await importFile(csv('policy,key', `yearly,${key}`));
  const finish = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const bulk = suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
    db.bulkTransaction(async (tx) => {
      await tx.updateTable('licenses').set({ holder_name: 'In bulk' }).where('key', '=', key).execute();
      written.resolve();
      await finish.promise;
    }),
  );
  await written.promise;
  const waiting = importFile(csv('policy,key', `yearly,${later}`));
  const verdict = await tenant.asApplication(`/licenses/${key}/validate`);
  expect(verdict.body.data, verdict.text).toMatchObject({ valid: true });
  expect(await licenseOf(key)).toMatchObject({ holder: { name: null } });
  finish.resolve();
  await bulk;
  expect((await waiting).status).toBe(200);
  expect(await licenseOf(key)).toMatchObject({ holder: { name: 'In bulk' } });
  expect(await licenseOf(later)).toMatchObject({ status: 'active' });
});
