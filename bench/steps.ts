import { fastify } from 'fastify';
import { pino } from 'pino';
import { authenticateApiKey } from '../packages/server/src/features/accounts/api-keys/authentication.ts';
import { findForValidation } from '../packages/server/src/features/licensing/validation/queries.ts';
import { validateLicense } from '../packages/server/src/features/licensing/validation/validate.ts';
import { compileValidator } from '../packages/server/src/http/validation.ts';
import { newId } from '../packages/server/src/lib/ids.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import type { OpenTenant } from '../packages/server/src/tenancy/tenant-pool.ts';
import { findTenantRecord, limitsOf } from '../packages/server/src/tenancy/tenant-record.ts';
import { median } from './measure.ts';
import { simplifiedSchemas, validatePath } from './servers/validate-route.ts';
import { createApplicant, createSite, withSite } from './site.ts';

const samples = 9;
const callsPerSample = 10_000;

/** Repetitions of one step in a tight loop: its cost with warm processor caches. */
function measure(name: string, step: () => unknown): void {
  const micros: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const startedAt = performance.now();
    for (let call = 0; call < callsPerSample; call += 1) step();
    micros.push(((performance.now() - startedAt) / callsPerSample) * 1000);
  }
  console.log(`${name.padEnd(48)}${median(micros).toFixed(2).padStart(8)} µs`);
}

async function compiledSerialiser(answer: Record<string, unknown>): Promise<() => unknown> {
  const app = fastify();
  let serialise: ((value: Record<string, unknown>) => unknown) | undefined;
  app.post(validatePath, { schema: { response: simplifiedSchemas.response } }, (_request, reply) => {
    serialise = reply.getSerializationFunction('200');
    return answer;
  });
  await app.inject({ method: 'POST', url: validatePath });
  return () => serialise?.(answer);
}

/** Measures the steps of the hot path one by one, on the embedded engine. */
export async function measureSteps(): Promise<void> {
  const site = await createSite();
  try {
    await withSite(site, async (services) => {
      const { apiKey, tenantId, licenseKey, fingerprint } = await createApplicant(services, 'Acme');
      const record = await findTenantRecord(services.platform, tenantId);
      if (record === undefined) throw new Error('The tenant is not there.');
      const open = (await services.tenants.acquire(record)) as OpenTenant;
      const tenant = { id: tenantId, name: 'Acme', limits: limitsOf(record), db: open.db };
      const request = { headers: { 'x-api-key': apiKey }, ip: '127.0.0.1' } as never;
      // Authentication with a valid key does not use the reply.
      const noReply = undefined as never;
      const body = { product: 'editor', fingerprint };
      const now = services.clock.now();
      const data = await validateLicense(services, tenant, systemActor, licenseKey, body);
      const answer = { data, meta: { request_id: newId(), api_version: '1' } };
      const route = { method: 'POST', url: validatePath };
      const check = compileValidator({ ...route, schema: simplifiedSchemas.body, httpPart: 'body' });
      const observe = services.metrics.observerOf(route.method, route.url);
      const logger = pino({ level: 'info' }, pino.destination({ dest: '/dev/null', sync: false }));
      const line = { request_id: newId(), method: 'POST', route: validatePath, status: 200, duration_ms: 1.5 };
      const serialise = await compiledSerialiser(answer);

      measure('request id (UUID v7)', newId);
      measure('HMAC of the key', () => services.keyring.hash(apiKey));
      measure('HMAC, key and tenant look-up', () => authenticateApiKey(services, request, noReply));
      measure('tenant acquire and release', () => {
        services.tenants.release(services.tenants.acquire(record) as OpenTenant);
      });
      measure('rate limit', () => services.rateLimits.consume('bench', tenantId, { limit: 1e9, windowSeconds: 60 }));
      measure('body validation', () => check(body));
      measure('license read', () => tenant.db.first(findForValidation, [licenseKey, fingerprint, now]));
      measure('license read, verdict and presentation', () =>
        validateLicense(services, tenant, systemActor, licenseKey, body),
      );
      measure('timestamp', () => services.clock.now());
      measure('serialisation by the response schema', serialise);
      measure('metrics', () => observe(200, 1.5));
      measure("counting of the tenant's request and validation", () => {
        services.activity.countRequest(tenantId, record.id);
        services.activity.countValidation(tenantId, 'LICENSE.VALID');
      });
      measure('log line', () => logger.info(line, 'request finished'));
      services.tenants.release(open);
    });
  } finally {
    await site.remove();
  }
}
