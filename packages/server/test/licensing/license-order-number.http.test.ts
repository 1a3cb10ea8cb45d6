import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import type { Answer } from '../support/harness.ts';
import { badFields, created, newPolicy, newProduct } from '../support/licensing-catalog.ts';
import { csv, ndjson, sendFile } from './license-files.ts';

const suite = useTenant();

const post = (body: object): Promise<Answer> => suite.tenant.asOwner('POST', '/licenses', body);
const put = (id: string, body: object): Promise<Answer> => suite.tenant.asOwner('PUT', `/licenses/${id}`, body);

async function expectTaken(answer: Answer): Promise<void> {
  expect([answer.status, answer.body.error?.code]).toEqual([409, 'LICENSE.ORDER_NUMBER_TAKEN']);
  expect(badFields(answer)).toEqual(['order_number']);
}

/** Creates a policy with a code of its own, which the rows of a file name. */
async function policyOfFile() {
  const product = await newProduct(suite.tenant);
  return await newPolicy(suite.tenant, { product_id: product.id, code: `plan-${newId()}` });
}

test('an order number is created, changed, kept and cleared, and the audit log and the events contain it', async () => {
  const { id: policy_id } = await newPolicy(suite.tenant);
  const number = `order ${newId()}`;
  const license = created(await post({ policy_id, order_number: number }));
  expect(license.order_number).toBe(number);
  expect((await put(license.id, { max_activations: 2 })).body.data.order_number).toBe(number);
  expect((await put(license.id, { order_number: `${number}/2` })).body.data.order_number).toBe(`${number}/2`);
  expect((await put(license.id, { order_number: null })).body.data.order_number).toBeNull();
  expect(created(await post({ policy_id })).order_number).toBeNull();

  const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${license.id}`);
  const changes = body.data.flatMap((record: { changes: { field: string }[] }) => record.changes);
  expect(changes.filter(({ field }: { field: string }) => field === 'order_number')).toEqual([
    { field: 'order_number', old: `${number}/2`, new: null },
    { field: 'order_number', old: number, new: `${number}/2` },
    { field: 'order_number', old: null, new: number },
  ]);
  const verdict = await suite.tenant.asApplication(`/licenses/${license.key}/validate`, {});
  expect(verdict.body.data.license).toHaveProperty('order_number', null);
});

test.each(['', 'x'.repeat(101), 5, true])('the order number %j is refused', async (order_number) => {
  const { id: policy_id } = await newPolicy(suite.tenant);
  const refused = await post({ policy_id, order_number });
  expect([refused.status, badFields(refused)]).toEqual([422, ['order_number']]);
});

describe('an order number is unique in a tenant', () => {
  test('a taken order number is a 409 until its license is deleted', async () => {
    const { id: policy_id } = await newPolicy(suite.tenant);
    const order_number = newId();
    const first = created(await post({ policy_id, order_number }));
    const other = created(await post({ policy_id }));
    await expectTaken(await post({ policy_id, order_number }));
    await expectTaken(await put(other.id, { order_number }));
    expect((await put(first.id, { order_number })).status).toBe(200);
    await suite.tenant.asOwner('DELETE', `/licenses/${first.id}`);
    expect((await put(other.id, { order_number })).body.data.order_number).toBe(order_number);
    await suite.tenant.asOwner('DELETE', `/licenses/${other.id}`);
    created(await post({ policy_id, order_number }));
  });

  test('of 10 licenses created concurrently with one order number, exactly one is created', async () => {
    const { id: policy_id } = await newPolicy(suite.tenant);
    const order_number = newId();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post({ policy_id, order_number })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });
});

test('licenses are filtered by the complete order number in every order', async () => {
  const { id: policy_id } = await newPolicy(suite.tenant);
  const order_number = `A/${newId()}`;
  const { id } = created(await post({ policy_id, order_number }));
  for (const sort of ['-created_at', 'created_at', 'expires_at', '-expires_at']) {
    const found = async (value: string) => {
      const query = `order_number=${encodeURIComponent(value)}&sort=${sort}`;
      const { body } = await suite.tenant.asOwner('GET', `/licenses?${query}`);
      return body.data.map((row: { id: string }) => row.id);
    };
    expect([sort, await found(order_number), await found(order_number.slice(0, -1))]).toEqual([sort, [id], []]);
  }
});

describe('files', () => {
  const kinds = [
    ['csv', 'text/csv'],
    ['ndjson', 'application/x-ndjson'],
  ] as const;

  test.each(kinds)('an import of %s refuses taken, repeated and malformed order numbers by row', async (kind, type) => {
    const { id: policy_id, code } = await policyOfFile();
    const [taken, free] = [newId(), newId()];
    created(await post({ policy_id, order_number: taken }));
    const numbers = [free, taken, free, 'x'.repeat(101)];
    const file =
      kind === 'csv'
        ? csv('policy,order_number', ...numbers.map((number) => `${code},${number}`), `${code},`)
        : ndjson(...[...numbers, null].map((order_number) => ({ policy: code, order_number })));
    const whole = await sendFile(suite.app, suite.tenant, file, { type });
    expect([whole.status, whole.body.error.code]).toEqual([422, 'IMPORT.REJECTED']);
    const { body } = await sendFile(suite.app, suite.tenant, file, { type, query: '?partial=true' });
    expect([body.data.created, body.data.failed]).toEqual([2, 3]);
    expect(body.data.errors.map(({ row, field }: { row: number; field: string }) => [row, field])).toEqual([
      [2, 'order_number'],
      [3, 'order_number'],
      [4, 'order_number'],
    ]);
  });

  test.each(kinds)('an export as %s contains the order number, and an import reads it', async (kind, type) => {
    const { id: policy_id } = await policyOfFile();
    const order_number = `=1+1 ${newId()}`;
    const license = created(await post({ policy_id, order_number }));
    const { text } = await suite.tenant.asOwner('GET', `/licenses/export?format=${kind}&policy_id=${policy_id}`);
    await suite.tenant.asOwner('DELETE', `/licenses/${license.id}`);
    const { body } = await sendFile(suite.app, suite.tenant, text, { type });
    expect(body.data, text).toMatchObject({ created: 1, failed: 0 });
    const again = await suite.tenant.asOwner('GET', `/licenses?policy_id=${policy_id}`);
    expect(again.body.data).toMatchObject([{ key: license.key, order_number }]);
  });
});
