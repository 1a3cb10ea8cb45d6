import { setTimeout as delay } from 'node:timers/promises';
import type { TestTenant } from '../support/accounts.ts';
import { created, defineEntitlements, newPolicy } from '../support/licensing-catalog.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';
import type { AuditRecord, Evidence, ListedActivation, ListedDelivery, ListedLicense } from './findings.ts';
import type { Consumption } from './journal.ts';
import type { Account, Worker } from './worker.ts';

const pollMs = 20;
const stalledMs = 90_000;

/** Interrupted work continues after its lease or pause, measured by the service's clock. */
const nudgeEveryMs = 1_500;

interface Served {
  readonly address: string;
}

interface Gathering {
  readonly receiver: WebhookReceiver;
  readonly workers: readonly Worker[];
  /** Called while deliveries wait. Advances the service's clock. */
  readonly nudge?: () => void;
}

export interface Party extends Account {
  readonly tenantId: string;
  readonly path: string;
  readonly secret: string;
}

/** Creates a tenant with a policy (two activations, metered `calls`) and a webhook endpoint for all events. */
export async function makeParty(tenant: TestTenant, receiver: WebhookReceiver): Promise<Party> {
  await defineEntitlements(tenant, { calls: 'metered' });
  const policy = await newPolicy(tenant, { max_activations: 2, entitlements: [{ code: 'calls' }] });
  const path = `/${tenant.id}`;
  const { secret } = created(await tenant.asOwner('POST', '/webhooks', { url: receiver.url(path), events: ['*'] }));
  const { apiKey, owner } = tenant;
  return { tenantId: tenant.id, path, secret, apiKey, token: owner.token, policyId: policy.id };
}

/** Reads all pages of a list of the tenant API. `path` ends with `?` or `&`. */
export async function listAll<Entry>(service: Served, { token }: Pick<Party, 'token'>, path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${service.address}/api/v1/tenant${path}limit=100${from}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { data, meta } = (await response.json()) as { data: Entry[]; meta: { next_cursor: string | null } };
    entries.push(...data);
    cursor = meta.next_cursor;
  }
  return entries;
}

/** Waits until no delivery is pending or none arrives any more; the findings then list the missing ones. */
async function untilDelivered(service: Served, party: Party, { receiver, nudge }: Gathering): Promise<void> {
  let [arrived, arrivedAtMs] = [0, performance.now()];
  let nudgedAtMs = performance.now();
  while ((await listAll(service, party, '/webhook-deliveries?status=pending&')).length > 0) {
    await delay(pollMs);
    const count = receiver.at(party.path).length;
    if (count > arrived) [arrived, arrivedAtMs] = [count, performance.now()];
    else if (performance.now() - arrivedAtMs > stalledMs) return;
    if (performance.now() - Math.max(arrivedAtMs, nudgedAtMs) < nudgeEveryMs) continue;
    nudgedAtMs = performance.now();
    nudge?.();
  }
}

/** Reads the counters of the licenses that still exist. */
export async function readUsage(
  service: Served,
  { apiKey }: Pick<Party, 'apiKey'>,
  consumptions: readonly Consumption[],
): Promise<Map<string, number>> {
  const usage = new Map<string, number>();
  for (const { licenseId, key } of consumptions) {
    const response = await fetch(`${service.address}/api/v1/integration/licenses/${key}/entitlements/check`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ entitlements: ['calls'] }),
    });
    const { data } = (await response.json()) as { data?: { entitlements: [{ usage: number }] } };
    if (data !== undefined) usage.set(licenseId, data.entitlements[0].usage);
  }
  return usage;
}

/** Waits for the deliveries, and collects all evidence about a tenant. */
export async function gather(service: Served, party: Party, gathering: Gathering): Promise<Evidence> {
  const { receiver, workers } = gathering;
  await untilDelivered(service, party, gathering);
  const consumptions = workers.flatMap((worker) => worker.consumptions);
  const { tenantId, secret, path } = party;
  return {
    tenantId,
    secret,
    attempts: workers.flatMap(({ attempts }) => attempts),
    received: receiver.at(path),
    deliveries: await listAll<ListedDelivery>(service, party, '/webhook-deliveries?'),
    audit: await listAll<AuditRecord>(service, party, '/audit-logs?'),
    licenses: await listAll<ListedLicense>(service, party, '/licenses?'),
    activations: await listAll<ListedActivation>(service, party, '/activations?'),
    consumptions,
    usage: await readUsage(service, party, consumptions),
  };
}
