import { once } from 'node:events';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRows } from '../../src/db/insert-rows.ts';
import type { AuditLogsTable } from '../../src/db/tables/shared-tables.ts';
import { newId } from '../../src/lib/ids.ts';
import { createAdmin, createUser, joinTenant, logIn, useTenant } from '../support/accounts.ts';
import { openSocket, portOf } from '../support/raw-http.ts';
import { statementsOf } from '../support/statements.ts';

const suite = useTenant();

beforeAll(async () => {
  await suite.app.listen();
  const { id } = (await suite.tenant.asOwner('POST', '/products', { code: 'editor', name: '=cmd' })).body.data;
  await suite.tenant.asOwner('PUT', `/products/${id}`, { name: 'Editor' });
});

interface AuditRecord {
  readonly id: string;
  readonly event: string;
  readonly occurred_at: string;
  readonly changes: readonly object[];
}

const asAdmin = (path: string, headers: object = suite.admin.auth, method: 'GET' | 'HEAD' = 'GET') =>
  suite.app.request({ method, url: `/api/v1/admin${path}`, headers: { ...headers } });
const records = (text: string): AuditRecord[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const listed = async (query = ''): Promise<AuditRecord[]> =>
  (await suite.tenant.asOwner('GET', `/audit-logs?limit=100${query}`)).body.data;

/** Returns records of a platform event with `padding` characters each. */
function paddedRows(event: string, count: number, padding = 10): AuditLogsTable[] {
  const changes_json = JSON.stringify([{ field: 'filler', old: null, new: 'x'.repeat(padding) }]);
  const actor = { actor_type: 'system', actor_id: null, actor_created_by: null } as const;
  const about = { resource_type: 'tenant', resource_id: null, request_id: null, ip: null };
  return Array.from({ length: count }, () => {
    const occurred_at = suite.app.services.clock.now();
    return { id: newId(), occurred_at, event, ...actor, ...about, changes_json };
  });
}

describe('an export of a tenant’s audit log', () => {
  test('an NDJSON export has the records of the list, in its order, with the names of actors', async () => {
    const before = await listed();
    const answer = await suite.tenant.asOwner('GET', '/audit-logs/export?format=ndjson');
    expect([answer.status, answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      'attachment; filename="audit-logs.ndjson"',
    ]);
    expect(records(answer.text)).toEqual(before);
    expect(before.length).toBeGreaterThan(2);
  });

  test('a CSV export has a header and one row per record, and no cell begins like a formula', async () => {
    const owner = await createUser(suite.app);
    await joinTenant(suite.app, owner, suite.tenant.id, 'admin');
    const headers = { ...owner.auth, 'x-tenant-id': suite.tenant.id, 'x-request-id': '-1' };
    await suite.app.request({ method: 'PUT', url: '/api/v1/account', headers: owner.auth, payload: { name: '=1+1' } });
    const product = { code: 'viewer', name: 'Viewer' };
    await suite.app.request({ method: 'POST', url: '/api/v1/tenant/products', headers, payload: product });
    const before = await listed();
    const { text, headers: answered } = await suite.tenant.asOwner('GET', '/audit-logs/export');
    expect(answered['content-type']).toBe('text/csv; charset=utf-8');
    const rows = parse(text, { columns: true }) as Record<string, string>[];
    expect(rows.map(({ id, event }) => [id, event])).toEqual(before.map(({ id, event }) => [id, event]));
    expect(rows[0]).toMatchObject({ actor_name: "'=1+1", request_id: "'-1" });
    expect(JSON.parse(rows[0]?.['changes'] ?? '')).toEqual(before[0]?.changes);
    expect(text).not.toMatch(/(^|,|\n)"?[=+\-@\t\r]/);
  });

  test('the filters of the list apply, and a page or an unknown format is refused', async () => {
    const [newest] = await listed('&event=PRODUCT.UPDATED');
    const { text } = await suite.tenant.asOwner('GET', '/audit-logs/export?format=ndjson&event=PRODUCT.UPDATED');
    expect(records(text)).toEqual([newest]);
    const from = await suite.tenant.asOwner('GET', `/audit-logs/export?format=ndjson&to=${newest?.occurred_at}`);
    expect(records(from.text)).toEqual(await listed(`&to=${newest?.occurred_at}`));
    const none = await suite.tenant.asOwner('GET', '/audit-logs/export?format=ndjson&from=2999-01-01T00:00:00Z');
    expect([none.status, none.text]).toEqual([200, '']);
    for (const query of ['limit=5', 'cursor=x', 'format=xml', 'from=yesterday']) {
      const refused = await suite.tenant.asOwner('GET', `/audit-logs/export?${query}`);
      expect([refused.status, refused.body.error.details[0].field]).toEqual([422, query.split('=')[0]]);
    }
  });

  test('every role and an admin may export, the export is audited with its filters, and HEAD is not', async () => {
    const viewer = await createUser(suite.app);
    await joinTenant(suite.app, viewer, suite.tenant.id, 'viewer');
    const url = '/api/v1/tenant/audit-logs/export?format=ndjson&event=PRODUCT.UPDATED';
    const asViewer = await suite.app.request({ method: 'GET', url, headers: viewer.auth });
    const path = `/tenants/${suite.tenant.id}/audit-logs/export?format=ndjson&event=PRODUCT.UPDATED`;
    expect(records((await asAdmin(path)).text)).toEqual(records(asViewer.text));
    expect((await asAdmin(path, suite.admin.auth, 'HEAD')).status).toBe(200);
    const changes = [
      { field: 'format', old: null, new: 'ndjson' },
      { field: 'event', old: null, new: 'PRODUCT.UPDATED' },
    ];
    const [newest, second] = await listed();
    expect(newest).toMatchObject({
      event: 'AUDIT_LOG.EXPORTED_BY_ADMIN',
      actor_id: suite.admin.id,
      resource_type: 'audit_log',
    });
    expect(second).toMatchObject({ event: 'AUDIT_LOG.EXPORTED', actor_id: viewer.id });
    expect(newest?.changes).toEqual(expect.arrayContaining(changes));
    const stranger = await createUser(suite.app);
    expect((await suite.app.request({ method: 'GET', url, headers: stranger.auth })).status).toBe(403);
  });
});

describe('an export of the platform’s audit log', () => {
  test('it has the records of the list, applies a prefix of events, and is audited', async () => {
    const reader = await createAdmin(suite.app, 'billing_readonly');
    const list = (await asAdmin('/audit?limit=100&event=ADMIN.', reader.auth)).body.data;
    const exported = await asAdmin('/audit/export?format=ndjson&event=ADMIN.', reader.auth);
    expect(records(exported.text)).toEqual(list);
    expect(exported.headers['content-disposition']).toBe('attachment; filename="platform-audit.ndjson"');
    const [newest] = (await asAdmin('/audit?limit=1')).body.data;
    expect(newest).toMatchObject({ event: 'AUDIT_LOG.EXPORTED', actor_type: 'admin', actor_id: reader.id });
    expect((await asAdmin('/audit/export', suite.tenant.owner.auth)).status).toBe(401);
  });

  test('an export of 1,600 records contains each of them once across all pages', async () => {
    const rows = paddedRows('LOAD.MANY', 1_600);
    await suite.app.services.platform.transaction((tx) => insertRows(tx, 'audit_logs', rows));
    const { text } = await asAdmin('/audit/export?format=ndjson&event=LOAD.MANY');
    // The clock repeats a time after a thousand calls in a millisecond, and then the ids decide.
    const newestFirst = rows.toSorted((one, other) =>
      one.occurred_at + one.id < other.occurred_at + other.id ? 1 : -1,
    );
    expect(records(text).map(({ id }) => id)).toEqual(newestFirst.map(({ id }) => id));
  });
});

describe('an export whose client reads slowly', () => {
  const pages = 50;
  // Together much more than the buffers of both ends of a connection.
  const padding = 4_000;

  beforeAll(async () => {
    const rows = paddedRows('LOAD.SLOW', pages * 100, padding);
    await suite.app.services.platform.transaction((tx) => insertRows(tx, 'audit_logs', rows));
  });

  /** Requests an export and reads only its beginning. */
  async function beginExport() {
    const socket = await openSocket(portOf(suite.app));
    const { authorization } = suite.admin.auth;
    const path = '/api/v1/admin/audit/export?format=ndjson&event=LOAD.SLOW';
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: ${authorization}\r\n\r\n`);
    await once(socket, 'readable');
    return socket;
  }

  /** Lets the service work on other requests, which are answered in turn. */
  async function others() {
    for (let request = 0; request < 50; request += 1) await asAdmin('/metrics');
  }

  const pagesRead = async (work: () => Promise<unknown>) =>
    (await statementsOf(suite.app, work)).filter((statement) => statement === 'select audit_logs').length;

  test('the service reads a page when the client takes it, and none after the client disconnects', async () => {
    let socket: Awaited<ReturnType<typeof beginExport>> | undefined;
    const begun = await pagesRead(async () => {
      socket = await beginExport();
      await others();
    });
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(pages * 0.8);
    expect(await pagesRead(others)).toBe(0);
    const afterwards = await pagesRead(async () => {
      socket?.destroy();
      await others();
    });
    expect(afterwards).toBeLessThanOrEqual(1);
  });

  test('records that are written while the client reads do not appear', async () => {
    const socket = await beginExport();
    await logIn(suite.app, suite.admin.email, 'admin');
    const late = paddedRows('LOAD.SLOW', 700);
    await suite.app.services.platform.transaction((tx) => insertRows(tx, 'audit_logs', late));
    let text = '';
    socket.setEncoding('latin1');
    for await (const chunk of socket) text += chunk;
    expect(text.endsWith('0\r\n\r\n')).toBe(true);
    expect(text.match(/"event":"/g)?.length).toBe(pages * 100);
  });
});
