import { beforeAll, describe, expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { newPolicy } from '../support/licensing-catalog.ts';
import { csv, expectNothingWritten, ndjson, type SentFile, sendFile } from './license-files.ts';

const suite = useTenant();

beforeAll(async () => {
  await suite.app.listen();
  await newPolicy(suite.tenant, { code: 'yearly', duration_days: 365 });
  await sendFile(suite.app, suite.tenant, csv('policy,key', 'yearly,TAKEN-1'));
});

const preview = (payload: string, sent: SentFile = {}) =>
  sendFile(suite.app, suite.tenant, payload, { query: '?dry_run=true', ...sent });

const expectUnchanged = (work: () => Promise<unknown>) => expectNothingWritten(suite.app, suite.tenant, work);

describe('dry runs of an import', () => {
  test('a dry run shows columns, first rows and every bad row, and writes nothing', async () => {
    const file = csv(
      'policy,key,holder_name,max_activations,created_at',
      'yearly,DRY-1,Ada,3,2026-01-01T00:00:00Z',
      'none,DRY-2,Grace,x,',
      'yearly,TAKEN-1,,,',
      'yearly,DRY-1,,,',
      'yearly,DRY-3,,,',
    );
    await expectUnchanged(async () => {
      const answer = await preview(file, { headers: { 'idempotency-key': 'dry-1' } });
      expect(answer.status, answer.text).toBe(200);
      const { rows, columns, errors, ...counts } = answer.body.data;
      expect(counts).toEqual({ created: 2, failed: 3 });
      expect(errors).toEqual([
        { row: 2, field: 'max_activations', message: expect.any(String) },
        { row: 2, field: 'policy', message: 'Use the code of an existing policy.' },
        { row: 3, field: 'key', message: 'Another license has this key.' },
        { row: 4, field: 'key', message: 'An earlier row of the file has the same value.' },
      ]);
      expect(columns).toEqual([
        ...['policy', 'key', 'holder_name', 'max_activations'].map((name) => ({ name, imported: true })),
        { name: 'created_at', imported: false },
      ]);
      expect(rows.slice(0, 2)).toEqual([
        { row: 1, values: { policy: 'yearly', key: 'DRY-1', holder_name: 'Ada', max_activations: '3' } },
        { row: 2, values: { policy: 'none', key: 'DRY-2', holder_name: 'Grace', max_activations: 'x' } },
      ]);
    });
  });

  test('a dry run of NDJSON names the fields of all rows and shows the first 20, with long values cut off', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => ({ policy: 'yearly', key: `ND-${index}` }));
    const long = { policy: 'yearly', holder: { name: 'x'.repeat(150) }, metadata: { note: 'y'.repeat(1000) } };
    const { body } = await preview(ndjson(long, ...rows, { policy: 'yearly', id: '1' }), {
      type: 'application/x-ndjson',
    });
    expect(body.data).toMatchObject({ created: 32, failed: 0, errors: [] });
    expect(body.data.rows).toHaveLength(20);
    expect(body.data.rows[0].values.holder_name).toBe('x'.repeat(150));
    expect(body.data.rows[0].values.metadata).toMatch(/^.{200}…$/);
    expect(body.data.columns.map(({ name }: { name: string }) => name)).toEqual([
      'policy',
      'holder',
      'metadata',
      'key',
      'id',
    ]);
  });

  test('a dry run reports the rows that exceed the plan, and the import afterwards creates the others', async () => {
    const { body } = await suite.tenant.asOwner('GET', '/licenses?limit=100');
    const licenses = body.data.length + 2;
    await suite.asAdmin('PATCH', `/tenants/${suite.tenant.id}`, { limits: { licenses } });
    const file = csv('policy,key', ...Array.from({ length: 5 }, (_, index) => `yearly,PLAN-${index}`));
    const dry = (await preview(file)).body.data;
    expect(dry).toMatchObject({ created: 2, failed: 3, errors: [{ row: 0, field: 'licenses' }] });
    const real = await sendFile(suite.app, suite.tenant, file, { query: '?partial=true' });
    expect(real.body.data).toMatchObject({ created: 2, failed: 3 });
  });

  test('a dry run of a file that cannot be divided into rows is refused', async () => {
    const answer = await preview(csv('policy,colour', 'yearly,red'));
    expect([answer.status, answer.body.error.code]).toEqual([422, 'IMPORT.REJECTED']);
    expect(answer.body.error.details).toMatchObject([{ row: 0, field: 'colour' }]);
  });
});

test('an admin can dry-run an import into a tenant', async () => {
  const answer = await suite.app.request({
    method: 'POST',
    url: `/api/v1/admin/tenants/${suite.tenant.id}/licenses/import?dry_run=true`,
    headers: { ...suite.admin.auth, 'content-type': 'text/csv' },
    payload: csv('policy', 'nothing'),
  });
  expect(answer.body.data).toMatchObject({ created: 0, failed: 1, rows: [{ row: 1, values: { policy: 'nothing' } }] });
});
