import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestSite } from '../support/harness.ts';
import { type MeasuredService, startMeasured } from './measured-service.ts';

/** The guarantee: no work of the service lets its other requests wait for longer. */
const turnMaxMs = 100;
const bytes = 2_000_000;

let site: TestSite;
let service: MeasuredService;
let owner: Account;

beforeAll(async () => {
  site = await createSite();
  const app = await startApp(site);
  ({ owner } = await createTenant(app, await createAdmin(app)));
  await stopApp(app);
  service = await startMeasured(site.env);
  // The first request of a process loads and compiles code. That turn is not of this suite.
  await upload('policy,key\nnone,a\n');
  await service.longestTurns();
});

afterAll(async () => {
  await service.stop();
  await site.remove();
});

async function upload(body: string) {
  const headers = { ...owner.auth, 'content-type': 'text/csv' };
  const response = await fetch(`${service.address}/api/v1/tenant/licenses/import`, { method: 'POST', headers, body });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test.each([
  ['separators in the first line', ',', 'header', /^The first line is longer/],
  ['names in the first line', 'key,', 'header', /^The first line is longer/],
  ['separators in a row', 'policy,key\n,', 'row', /^The row is longer/],
  ['empty cells in quotes in a row', 'policy,key\n"",', 'row', /^The row is longer/],
])(
  'a file with 2 MB of %s is refused and blocks the event loop for less than 100 ms',
  async (_, text, field, message) => {
    const [unit = '', head] = text.split('\n').reverse();
    const start = head === undefined ? '' : `${head}\n`;
    const { status, body } = await upload(start + unit.repeat(bytes / unit.length));
    expect([status, body.error.code]).toEqual([422, 'IMPORT.REJECTED']);
    expect(body.error.details).toEqual([expect.objectContaining({ field, message: expect.stringMatching(message) })]);
    expect((await service.longestTurns()).cpuMs).toBeLessThan(turnMaxMs);
  },
);
