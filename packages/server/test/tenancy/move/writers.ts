import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../src/lib/ids.ts';
import type { TestTenant } from '../../support/accounts.ts';
import type { Answer, TestApp } from '../../support/harness.ts';
import { newLicense } from '../../support/licensing-catalog.ts';
import { tenantAt } from '../archive/sites.ts';

/** The outcomes of a load's requests, by the reference or fingerprint that each request generated. */
export interface Load {
  readonly acknowledged: Set<string>;
  readonly refused: Map<string, { readonly code: string; readonly retryAfter: unknown }>;
  readonly verdicts: Set<unknown>;
  /** Unexpected responses. */
  readonly surprises: Set<string>;
  stop(): Promise<void>;
}

/** Leaves most of a small machine to the move: writes are refused for much longer, so that each writer meets that time. */
const betweenRequestsMs = 25;

/** Creates licenses and activations and validates a license, through these services, until it is stopped. */
export async function startLoad(apps: readonly TestApp[], tenant: TestTenant): Promise<Load> {
  const license = await newLicense(tenant);
  let stopped = false;
  const load = {
    acknowledged: new Set<string>(),
    refused: new Map(),
    verdicts: new Set(),
    surprises: new Set<string>(),
  };

  function note(name: string, { status, body, headers, text }: Answer): void {
    if (status === 201) load.acknowledged.add(name);
    else if (status === 503) load.refused.set(name, { code: body.error.code, retryAfter: headers['retry-after'] });
    else load.surprises.add(body.error?.code ?? text);
  }

  async function repeat(work: (name: string) => Promise<void>): Promise<void> {
    while (!stopped) {
      await work(newId());
      await delay(betweenRequestsMs);
    }
  }

  const work = apps.flatMap((app) => {
    const { asApplication } = tenantAt(app, tenant);
    const path = `/licenses/${license.key}`;
    return [
      repeat(async (reference) => {
        const payload = { policy_id: license.policy_id, holder: { reference } };
        const headers = { ...tenant.owner.auth, 'idempotency-key': reference };
        note(reference, await app.request({ method: 'POST', url: '/api/v1/tenant/licenses', headers, payload }));
      }),
      repeat(async (fingerprint) => note(fingerprint, await asApplication(`${path}/activations`, { fingerprint }))),
      repeat(async () => {
        const { status, body } = await asApplication(`${path}/validate`);
        load.verdicts.add(status === 200 ? body.data.valid : body.error.code);
      }),
    ];
  });
  return {
    ...load,
    async stop() {
      stopped = true;
      await Promise.all(work);
    },
  };
}

/** Returns the references and fingerprints in a tenant's database, with duplicates. */
export async function namesIn({ services }: TestApp, tenantId: string): Promise<string[]> {
  return await services.tenants.readTenantDb(tenantId, async ({ query }) => {
    const licenses = await query.selectFrom('licenses').select('holder_reference as name').execute();
    const activations = await query.selectFrom('activations').select('fingerprint as name').execute();
    return [...licenses, ...activations].flatMap(({ name }) => (name === null ? [] : [name]));
  });
}
