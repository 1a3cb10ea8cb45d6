import { expect } from 'vitest';
import type { TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';
import { countAllRows } from '../support/row-counts.ts';

export interface SentFile {
  readonly query?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a file of licenses as the owner of a tenant; CSV unless it says otherwise. */
export function sendFile(
  app: TestApp,
  tenant: TestTenant,
  payload: string | Buffer,
  { query = '', type = 'text/csv', headers = {} }: SentFile = {},
): Promise<Answer> {
  return app.request({
    method: 'POST',
    url: `/api/v1/tenant/licenses/import${query}`,
    headers: { ...tenant.owner.auth, 'content-type': type, ...headers },
    payload,
  });
}

/** The text of a CSV file. */
export const csv = (...lines: string[]) => `${lines.join('\n')}\n`;

/** The text of an NDJSON file. */
export const ndjson = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Fails when `work` leaves a row behind. */
export async function expectNothingWritten(
  app: TestApp,
  tenant: TestTenant,
  work: () => Promise<unknown>,
): Promise<void> {
  const before = await countAllRows(app, tenant.id);
  await work();
  expect(await countAllRows(app, tenant.id)).toEqual(before);
}
