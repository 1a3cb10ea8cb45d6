import { once } from 'node:events';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { isReceiving } from '../../src/http/streamed-body.ts';
import { newId } from '../../src/lib/ids.ts';
import { createTenant, useTenant } from '../support/accounts.ts';
import type { Answer } from '../support/harness.ts';
import { eventsOf, newPolicy } from '../support/licensing-catalog.ts';
import { openSocket, portOf, readAnswers } from '../support/raw-http.ts';
import { countAllRows } from '../support/row-counts.ts';
import { csv, expectNothingWritten, type SentFile, sendFile } from './license-files.ts';

const suite = useTenant();
let policy: { readonly id: string; readonly code: string; readonly product_id: string };

beforeAll(async () => {
  await suite.app.listen();
  policy = await newPolicy(suite.tenant, { code: 'yearly', duration_days: 365 });
});

const importFile = (payload: string | Buffer, sent: SentFile = {}) => sendFile(suite.app, suite.tenant, payload, sent);

async function licenseOf(key: string) {
  const { body } = await suite.tenant.asOwner('GET', `/licenses?key=${key}`);
  return body.data[0];
}

const expectUnchanged = (work: () => Promise<unknown>) => expectNothingWritten(suite.app, suite.tenant, work);

/** The first headers of a request that imports CSV. */
const head = () =>
  [
    'POST /api/v1/tenant/licenses/import HTTP/1.1',
    'host: localhost',
    'connection: close',
    `authorization: ${suite.tenant.owner.auth.authorization}`,
    'content-type: text/csv',
  ].join('\r\n');

describe('imports without partial=true', () => {
  test('a rejected import reports every invalid row, including taken keys', async () => {
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
      expect(taken.body.error.details).toEqual([{ row: 600, field: 'key', message: 'Another license has this key.' }]);
    });
  });

  test('an import of 5,000 rows creates every license and audits it with the actor of the surface', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => `yearly,BULK-${index}`);
    const before = await countAllRows(suite.app, suite.tenant.id);
    expect((await importFile(csv('policy,key', ...rows))).body.data.created).toBe(5_000);
    const after = await countAllRows(suite.app, suite.tenant.id);
    expect((after['tenant.licenses'] ?? 0) - (before['tenant.licenses'] ?? 0)).toBe(5_000);
    expect((after['tenant.audit_logs'] ?? 0) - (before['tenant.audit_logs'] ?? 0)).toBe(5_000);
    const { id } = await licenseOf('BULK-4999');
    const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${id}`);
    expect(body.data).toMatchObject([
      { event: 'LICENSE.CREATED', actor_type: 'user', actor_id: suite.tenant.owner.id },
    ]);
  });

  test('of concurrent imports of the same keys exactly one succeeds', async () => {
    const rows = Array.from({ length: 700 }, (_, index) => `yearly,RACE-${index}`);
    const files = [rows, rows.toReversed(), rows, rows.toReversed()].map((some) => csv('policy,key', ...some));
    const answers = await Promise.all(files.map((file) => importFile(file)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
    for (const { status, body } of answers) if (status === 422) expect(body.error.details).toHaveLength(700);
  });

  test('an import concurrent with single creations of the same keys creates no key twice', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `yearly,MIX-${index}`);
    const single = (index: number) =>
      suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id, key: `MIX-${index}` });
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

describe('partial imports', () => {
  const partial = { query: '?partial=true' };

  test('a partial import keeps the valid rows and reports the others by row, field and reason', async () => {
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
        { row: 2, field: 'policy', message: 'Use the code of an existing policy.' },
        { row: 3, field: 'key', message: 'Another license has this key.' },
      ],
    });
    const found = await Promise.all(['PART-1', 'PART-2', 'PART-3'].map(licenseOf));
    expect(found.map((license) => license?.key)).toEqual(['PART-1', undefined, 'PART-3']);
  });

  test('a partial import of a file that cannot be divided into rows writes nothing', async () => {
    await expectUnchanged(async () => {
      const answer = await importFile(csv('policy,key', 'yearly,UNREADABLE', 'yearly,"x'), partial);
      expect([answer.status, answer.body.error.code]).toEqual([422, 'IMPORT.REJECTED']);
    });
  });

  test('concurrent partial imports of the same keys create each key once', async () => {
    const file = csv('policy,key', ...Array.from({ length: 1_100 }, (_, index) => `yearly,PRACE-${index}`));
    const answers = await Promise.all([importFile(file, partial), importFile(file, partial)]);
    const sum = (field: 'created' | 'failed') => answers.reduce((total, { body }) => total + body.data[field], 0);
    expect([sum('created'), sum('failed')]).toEqual([1_100, 1_100]);
  });

  test.each([['partial=maybe'], ['nmae=1']])('an import with the query %s is refused', async (query) => {
    expect((await importFile(csv('policy', 'yearly'), { query: `?${query}` })).status).toBe(422);
  });
});

describe('import requests', () => {
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
      'a malformed Idempotency-Key',
      { headers: { 'idempotency-key': 'a b' } },
      csv('policy', 'yearly'),
      400,
      'REQUEST.MALFORMED',
    ],
  ])('an import with %s is refused and writes nothing', async (_what, sent, payload, status, code) => {
    await expectUnchanged(async () => {
      const answer = await importFile(payload, sent);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    });
  });

  test('an import without a body is refused', async () => {
    const answer = await suite.tenant.asOwner('POST', '/licenses/import');
    expect([answer.status, answer.body.error.code]).toEqual([415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE']);
  });

  test('a text/csv body is refused by routes that accept no file', async () => {
    const answer = await suite.app.request({
      method: 'POST',
      url: '/api/v1/tenant/licenses',
      headers: { ...suite.tenant.owner.auth, 'content-type': 'text/csv' },
      payload: csv('policy', 'yearly'),
    });
    expect(answer.status).toBe(415);
  });

  test('an import with a Content-Length above 256 MiB is a 413 before the body is read', async () => {
    await expectUnchanged(async () => {
      const [answer] = await sendRaw(`content-length: ${256 * 1024 * 1024 + 1}\r\n\r\npolicy\n`, { end: true });
      expect(answer?.status).toBe(413);
      expect(JSON.parse(answer?.body ?? '').error.code).toBe('REQUEST.TOO_LARGE');
    });
  });

  test('an import whose connection is aborted within the body writes nothing', async () => {
    await expectUnchanged(async () => {
      await sendRaw('content-length: 1000\r\n\r\npolicy,key\nyearly,CUT-1\n', { destroy: true });
      // The service handles this request after the aborted one, because both share its event loop in order.
      expect((await importFile(csv('policy', 'none'))).status).toBe(422);
      expect(await licenseOf('CUT-1')).toBeUndefined();
    });
  });

  test('an import in chunks of one byte is read like a file in one chunk', async () => {
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

  test('an import can be received for longer than the timeout of other requests', async () => {
    const { server } = suite.app.http;
    const connected = once(server, 'connection');
    const socket = await openSocket(portOf(suite.app));
    const [connection] = await connected;
    const answers = readAnswers(socket);
    const file = csv('policy,key', 'yearly,SLOW-1');
    socket.write(`${head()}\r\ncontent-length: ${file.length}\r\n\r\npolicy`);
    while (!isReceiving(connection)) await yieldToEventLoop();
    // The error that Node emits for a request that is not complete after 60 s.
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

describe('imports with an Idempotency-Key', () => {
  const keyed = (key: string, query = '') => ({ query, headers: { 'idempotency-key': key } });

  test.each(['', '?partial=true'])(
    'an import with the query %j that is repeated with its Idempotency-Key is replayed',
    async (query) => {
      const [key, name] = [newId(), newId()];
      const file = csv('policy,key', `yearly,${name}`);
      const first = await importFile(file, keyed(key, query));
      const again = await importFile(file, keyed(key, query));
      expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([200, 200, 'true']);
      expect(again.body.data).toEqual(first.body.data);
      expect(await eventsOf(suite.tenant, (await licenseOf(name)).id)).toEqual(['LICENSE.CREATED']);
      const other = await importFile(`${file}yearly,${newId()}\n`, keyed(key, query));
      expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY.KEY_REUSED']);
    },
  );

  test('an Idempotency-Key can be used again after its import was refused', async () => {
    const key = newId();
    expect((await importFile(csv('policy', 'none'), keyed(key))).status).toBe(422);
    expect((await importFile(csv('policy', 'yearly'), keyed(key))).status).toBe(200);
  });

  test('of two concurrent imports with one Idempotency-Key only one creates licenses', async () => {
    const [key, name] = [newId(), newId()];
    const answers = await Promise.all([1, 2].map(() => importFile(csv('policy,key', `yearly,${name}`), keyed(key))));
    const statuses = answers.map(({ status }: Answer) => status).sort();
    expect([
      [200, 200],
      [200, 409],
    ]).toContainEqual(statuses);
    expect(await eventsOf(suite.tenant, (await licenseOf(name)).id)).toEqual(['LICENSE.CREATED']);
  });
});

describe('access to imports', () => {
  test('an admin can import licenses, and the audit log records the admin', async () => {
    const name = newId();
    const answer = await suite.app.request({
      method: 'POST',
      url: `/api/v1/admin/tenants/${suite.tenant.id}/licenses/import`,
      headers: { ...suite.admin.auth, 'content-type': 'text/csv' },
      payload: csv('policy,key', `yearly,${name}`),
    });
    expect(answer.status).toBe(200);
    const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${(await licenseOf(name)).id}`);
    expect(body.data).toMatchObject([
      { event: 'LICENSE.CREATED_BY_ADMIN', actor_type: 'admin', actor_id: suite.admin.id },
    ]);
  });

  test('an import treats a policy of another tenant like an unknown policy', async () => {
    const other = await createTenant(suite.app, suite.admin);
    const foreign = await newPolicy(other);
    const details = async (id: string) => (await importFile(csv('policy_id', id))).body.error.details;
    expect(await details(foreign.id)).toEqual(await details(newId()));
  });
});

test('an import whose client disconnects before the response writes nothing', async () => {
  const finish = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const bulk = suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) =>
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
  while (!isReceiving(connection)) await yieldToEventLoop();
  socket.write(file.slice('policy'.length));
  while (isReceiving(connection)) await yieldToEventLoop();
  socket.destroy();
  await closed;
  finish.resolve();
  await bulk;
  expect((await importFile(csv('policy,key', 'yearly,AFTER-1'))).status).toBe(200);
  expect(await licenseOf('GONE-1')).toBeUndefined();
});

test('a bulk write of licenses does not block validations and reads, and other writers continue after it', async () => {
  const [key, later] = [newId(), newId()];
  await importFile(csv('policy,key', `yearly,${key}`));
  const finish = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const bulk = suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) =>
    db.bulkTransaction(async (tx) => {
      await tx.updateTable('licenses').set({ holder_name: 'In bulk' }).where('key', '=', key).execute();
      written.resolve();
      await finish.promise;
    }),
  );
  await written.promise;
  const waiting = importFile(csv('policy,key', `yearly,${later}`));
  const verdict = await suite.tenant.asApplication(`/licenses/${key}/validate`);
  expect(verdict.body.data, verdict.text).toMatchObject({ valid: true });
  expect(await licenseOf(key)).toMatchObject({ holder: { name: null } });
  finish.resolve();
  await bulk;
  expect((await waiting).status).toBe(200);
  expect(await licenseOf(key)).toMatchObject({ holder: { name: 'In bulk' } });
  expect(await licenseOf(later)).toMatchObject({ status: 'active' });
});
