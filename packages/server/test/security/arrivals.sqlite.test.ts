import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { platformFile } from '../../src/config/data-dir.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { tenantFile } from '../../src/tenancy/placement.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';
import { portOf } from '../support/raw-http.ts';
import { announce, type Interference, steps, waitFor } from './interfering-caller.ts';

// Requests that the service finds waiting at the same time share one check for changes. A caller may send a further
// request only after that check, on a connection on which something else was waiting.

let app: TestApp;
/** Called when a validation has asked for the state of the tenant's database. */
let onValidation: (() => void) | undefined;

const system = systemClock();
const clock: Clock = {
  nowMs: system.nowMs,
  now() {
    if (onValidation !== undefined && new Error('where').stack?.includes('answerValidation')) onValidation();
    return system.now();
  },
};

beforeAll(async () => {
  app = await startApp(await createSite(), { PORT: '0' }, undefined, clock);
  await app.listen();
});

afterAll(async () => {
  await stopApp(app);
  await app.site.remove();
});

interface Subject {
  readonly tenant: TestTenant;
  readonly licenseId: string;
}

type Change = Pick<Interference, 'file' | 'change'>;

const changes: readonly [string, (subject: Subject) => Change, string, string][] = [
  [
    'suspends the license',
    ({ tenant, licenseId }) => ({
      file: tenantFile(app.config.dataDir, tenant.id),
      change: `update licenses set status = 'suspended' where id = '${licenseId}'`,
    }),
    'HTTP/1.1 200',
    'LICENSE.SUSPENDED',
  ],
  [
    'revokes the API key',
    ({ tenant }) => ({
      file: platformFile(app.config.dataDir),
      change: `update api_keys set status = 'revoked' where id = '${tenant.apiKeyId}'`,
    }),
    'HTTP/1.1 401',
    'AUTH.INVALID_API_KEY',
  ],
];

test.each(changes)(
  'a request that was sent after another process %s is refused, even if it is read in the same poll as one that was sent before',
  async (_what, changeOf, status, code) => {
    const tenant = await createTenant(app, await createAdmin(app));
    const license = await newLicense(tenant);
    const url = `/api/v1/integration/licenses/${license.key}/validate`;
    const head = (key: string) =>
      `POST ${url} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`;
    const step = new SharedArrayBuffer(4);
    const workerData: Interference = {
      port: portOf(app),
      request: `${head(tenant.apiKey)}{}`,
      refusedHead: head('unknown'),
      refusedBody: '{}',
      ...changeOf({ tenant, licenseId: license.id }),
      step,
    };
    const caller = new Worker(new URL('./interfering-caller.ts', import.meta.url), { workerData });
    const exited = once(caller, 'exit');
    await once(caller, 'message');

    onValidation = () => {
      onValidation = undefined;
      announce(step, steps.requestIsHandled);
      waitFor(step, steps.changeIsCommitted);
    };
    announce(step, steps.serviceWaits);
    waitFor(step, steps.bytesAreSent);
    const [{ refusal, before, after }] = await once(caller, 'message');
    expect(refusal).toMatch(/^HTTP\/1\.1 401/);
    expect(before).toContain('"code":"LICENSE.VALID"');
    expect([after.slice(0, status.length), after.includes(code)]).toEqual([status, true]);
    await exited;
  },
);
