import { expect } from 'vitest';
import type { TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';
import { countAllRows } from '../support/row-counts.ts';

/** How a file is sent. */
export interface SentFile {
  /** Begins with a question mark. */
  readonly query?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Imports a file of licenses as the owner of a tenant. The default type is CSV. */
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

/** Returns the text of a CSV file. */
export const csv = (...lines: string[]) => `${lines.join('\n')}\n`;

/** Returns the text of an NDJSON file. */
export const ndjson = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Fails when `work` adds or removes a row in the database of the platform or of the tenant. */
export async function expectNothingWritten(
  app: TestApp,
  tenant: TestTenant,
  work: () => Promise<unknown>,
): Promise<void> {
  const before = await countAllRows(app, tenant.id);
  await work();
  expect(await countAllRows(app, tenant.id)).toEqual(before);
}
