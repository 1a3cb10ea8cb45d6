import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { type Answer, engine, startApp, stopApp, type TestApp, useApp } from '../support/harness.ts';
import { created, defineEntitlements, newPolicy } from '../support/licensing-catalog.ts';

// Results that must be exact under concurrency. Each race is repeated, because a single run rarely fails. On PostgreSQL
// the requests alternate between two nodes, so that a single process cannot serialize them. A request there has many
// round trips, and so more interleavings; 10 repetitions are enough instead of 20.
const repetitions = engine === 'sqlite' ? 20 : 10;
const suite = useApp({ LOG_LEVEL: 'warn' });
let nodes: TestApp[] = [];
let tenant: TestTenant;

beforeAll(async () => {
  nodes = [suite.app];
  if (engine === 'postgres') nodes.push(await startApp(suite.app.site, { LOG_LEVEL: 'warn' }));
  const admin = await createAdmin(suite.app);
  tenant = await createTenant(suite.app, admin);
  const limits = { integration_requests_per_minute: 1_000_000 };
  const raised = await send('PATCH', `/api/v1/admin/tenants/${tenant.id}`, admin.auth, { limits });
  if (raised.status !== 200) throw new Error(raised.text);
  await defineEntitlements(tenant, { calls: 'metered' });
});

afterAll(async () => {
  for (const node of nodes.slice(1)) await stopApp(node);
});

let sent = 0;

function send(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  headers: Readonly<Record<string, string>>,
  payload?: object,
): Promise<Answer> {
  const node = nodes[sent % nodes.length];
  sent += 1;
  if (node === undefined) throw new Error('No node was started.');
  return node.request({ method, url, headers, ...(payload && { payload }) });
}

const asOwner = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object, key?: string) =>
  send(method, `/api/v1/tenant${path}`, { ...tenant.owner.auth, ...(key && { 'idempotency-key': key }) }, payload);
const asApplication = (path: string, payload: object, key?: string) => {
  const headers = { 'x-api-key': tenant.apiKey, ...(key && { 'idempotency-key': key }) };
  return send('POST', `/api/v1/integration${path}`, headers, payload);
};

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const outcomeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? 'ok'}`;
const activate = (key: string, fingerprint: string) => asApplication(`/licenses/${key}/activations`, { fingerprint });
const activateParts = (key: string, components: object) =>
  asApplication(`/licenses/${key}/activations`, { components });
const licenseOf = async (id: string) => (await asOwner('GET', `/licenses/${id}`)).body.data;

async function activationsOf(licenseId: string, status: string): Promise<string[]> {
  const { body } = await asOwner('GET', `/activations?license_id=${licenseId}&status=${status}&limit=100`);
  return body.data.map((activation: { fingerprint: string }) => activation.fingerprint).sort();
}

/** Counts the responses by outcome. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of answers.map(outcomeOf)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Reports one use, and retries while the service responds with 503. The idempotency key prevents double counting. */
async function consume(key: string, idempotency_key: string): Promise<string> {
  for (;;) {
    const events = [{ entitlement: 'calls', quantity: 1, idempotency_key }];
    const answer = await asApplication(`/licenses/${key}/usage`, { events });
    if (answer.status === 503) continue;
    const { status, reason } = answer.body.data.results[0];
    return `${status} ${reason ?? 'ok'}`;
  }
}

/**
 * Returns the single created resource. Expects that one response created it, and that all others are replays or 409
 * `IDEMPOTENCY.IN_PROGRESS`.
 */
function onlyOne(answers: readonly Answer[]): { readonly id: string } {
  const made = answers.filter(({ status }) => status === 201);
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    expect(outcomeOf(refused)).toBe('409 IDEMPOTENCY.IN_PROGRESS');
  }
  expect(made.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
  expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1);
  return made[0]?.body.data;
}

interface Race {
  readonly guarantee: string;
  /** The fields of the policy, which is created once for all repetitions. */
  readonly policy: object;
  readonly run: (policyId: string) => Promise<void>;
}

const races: readonly Race[] = [
  {
    guarantee: '40 concurrent activations with a limit of 5 create exactly 5',
    policy: { max_activations: 5 },
    async run(policy_id) {
      const { id, key } = created(await asOwner('POST', '/licenses', { policy_id }));
      const answers = await times(40, (index) => activate(key, `device-${index}`));
      expect(tally(answers)).toEqual({ '201 ok': 5, '422 ACTIVATION.LIMIT_REACHED': 35 });
      const admitted = answers.flatMap(({ body }) => (body.data === undefined ? [] : [body.data.fingerprint]));
      expect(await activationsOf(id, 'active')).toEqual(admitted.sort());
      expect((await licenseOf(id)).activations_count).toBe(5);
    },
  },
  {
    guarantee: '200 concurrent uses with a limit of 100 count exactly 100',
    policy: { entitlements: [{ code: 'calls', limit: 100, reset: 'day' }] },
    async run(policy_id) {
      const { key } = created(await asOwner('POST', '/licenses', { policy_id }));
      const outcomes = await times(200, (index) => consume(key, `use-${index}`));
      expect(outcomes.filter((outcome) => outcome === 'refused ENTITLEMENT.LIMIT_REACHED')).toHaveLength(100);
      const counted = await asApplication(`/licenses/${key}/entitlements/check`, {});
      expect(counted.body.data.entitlements[0]).toMatchObject({ usage: 100, remaining: 0, has_access: false });
    },
  },
  {
    guarantee: 'concurrent deactivations and activations never exceed the limit',
    policy: { max_activations: 5 },
    async run(policy_id) {
      const { id, key } = created(await asOwner('POST', '/licenses', { policy_id }));
      const held = await times(5, async (index) => created(await activate(key, `held-${index}`)));
      const [freed, taken] = await Promise.all([
        times(5, (index) => asApplication(`/licenses/${key}/activations/${held[index]?.id}/deactivate`, {})),
        times(8, (index) => activate(key, `new-${index}`)),
      ]);
      expect(tally(freed)).toEqual({ '200 ok': 5 });
      const admitted = taken.flatMap(({ body }) => (body.data === undefined ? [] : [body.data.fingerprint]));
      expect(admitted.length).toBeLessThanOrEqual(5);
      expect(await activationsOf(id, 'active')).toEqual(admitted.sort());
      expect(await licenseOf(id)).toMatchObject({ activations_count: admitted.length, deactivations_count: 5 });
    },
  },
  {
    guarantee: 'concurrent requests of one changed device keep its one seat',
    policy: { max_activations: 2, require_activation: true, fingerprint_matching: 'most' },
    async run(policy_id) {
      const { id, key } = created(await asOwner('POST', '/licenses', { policy_id }));
      const device = { board: 'b1', cpu: 'c1', disk: 'd1' };
      const held = created(await activateParts(key, device));
      const changed = { ...device, disk: 'd2' };
      const [activated, verdicts] = await Promise.all([
        times(6, () => activateParts(key, changed)),
        times(6, () => asApplication(`/licenses/${key}/validate`, { components: changed })),
      ]);
      expect(tally([...activated, ...verdicts])).toEqual({ '200 ok': 12 });
      expect(new Set(activated.map(({ body }) => body.data.id))).toEqual(new Set([held.id]));
      for (const { body } of verdicts) expect(body.data).toMatchObject({ valid: true, activation: { id: held.id } });
      expect((await licenseOf(id)).activations_count).toBe(1);
      const audit = await asOwner('GET', `/audit-logs?resource_id=${held.id}&event=ACTIVATION.COMPONENTS_CHANGED`);
      expect(audit.body.data).toHaveLength(1);
    },
  },
  {
    guarantee: 'of two different devices of a series at the last seat, exactly one gets it',
    policy: { max_activations: 2, require_activation: true, fingerprint_matching: 'most' },
    async run(policy_id) {
      const { id, key } = created(await asOwner('POST', '/licenses', { policy_id }));
      const parts = (device: string) => ({ board: `b${device}`, cpu: 'c1', disk: `d${device}`, mac: `m${device}` });
      const held = created(await activateParts(key, parts('0')));
      const [own, taken] = await Promise.all([
        times(3, () => activateParts(key, { ...parts('0'), disk: 'new' })),
        times(6, (index) => activateParts(key, parts(String(1 + (index % 2))))),
      ]);
      expect(new Set(own.map(({ body }) => body.data.id))).toEqual(new Set([held.id]));
      expect(tally(taken)).toEqual({ '200 ok': 2, '201 ok': 1, '422 ACTIVATION.LIMIT_REACHED': 3 });
      expect((await licenseOf(id)).activations_count).toBe(2);
    },
  },
  {
    guarantee: '20 concurrent creations with one Idempotency-Key create one license and one activation',
    policy: {},
    async run(policy_id) {
      const idempotencyKey = newId();
      const fields = { policy_id, holder: { reference: idempotencyKey } };
      onlyOne(await times(20, () => asOwner('POST', '/licenses', fields, idempotencyKey)));
      const listed = (await asOwner('GET', `/licenses?holder_reference=${idempotencyKey}`)).body.data;
      expect(listed).toHaveLength(1);
      const path = `/licenses/${listed[0].key}/activations`;
      onlyOne(await times(20, () => asApplication(path, { fingerprint: 'device' }, idempotencyKey)));
      expect(await activationsOf(listed[0].id, 'active')).toEqual(['device']);
    },
  },
  {
    guarantee: 'a license that is revoked concurrently with other changes stays revoked',
    policy: { max_activations: 1, duration_days: 30 },
    async run(policy_id) {
      const { id, key } = created(await asOwner('POST', '/licenses', { policy_id }));
      created(await activate(key, 'device'));
      const [revoked, edited, moved] = await Promise.all([
        asOwner('POST', `/licenses/${id}/revoke`),
        times(8, (index) => asOwner('PUT', `/licenses/${id}`, { max_activations: 10 + index })),
        times(6, (index) => asOwner('POST', `/licenses/${id}/${['suspend', 'reinstate', 'renew'][index % 3]}`)),
      ]);
      expect(revoked.status).toBe(200);
      expect(tally(edited)).toEqual({ '200 ok': 8 });
      for (const answer of moved) expect(['200 ok', '409 LICENSE.TRANSITION_INVALID']).toContain(outcomeOf(answer));
      const edit = { max_activations: 100, expires_at: null, starts_at: '2020-01-01T00:00:00Z' };
      expect((await asOwner('PUT', `/licenses/${id}`, edit)).body.data.status).toBe('revoked');
      expect(outcomeOf(await activate(key, 'another'))).toBe('422 LICENSE.REVOKED');
      const verdict = await asApplication(`/licenses/${key}/validate`, { fingerprint: 'device' });
      expect(verdict.body.data).toMatchObject({ valid: false, code: 'LICENSE.REVOKED' });
    },
  },
  {
    guarantee: 'a new license with the key of a concurrently deleted license inherits nothing',
    policy: { max_activations: 5, require_activation: true },
    async run(policy_id) {
      const key = newId();
      const make = () => asOwner('POST', '/licenses', { policy_id, key });
      const old = created(await make());
      const devices = await times(3, async (index) => created(await activate(key, `old-${index}`)));
      await asApplication(`/licenses/${key}/activations/${devices[0]?.id}/deactivate`, {});
      await asApplication(`/licenses/${key}/validate`, { fingerprint: 'old-1' });
      const [deleted, made, activated] = await Promise.all([
        asOwner('DELETE', `/licenses/${old.id}`),
        times(4, make),
        times(8, (index) => activate(key, `new-${index}`)),
      ]);
      expect(deleted.status).toBe(200);
      const successors = made.filter(({ status }) => status === 201).map(({ body }) => body.data);
      expect(successors.length).toBeLessThanOrEqual(1);
      const successor = successors[0] ?? created(await make());
      const onSuccessor = activated.filter(({ body }) => body.data?.license_id === successor.id);
      expect(await activationsOf(old.id, 'active')).toEqual([]);
      expect(await activationsOf(successor.id, 'active')).toEqual(
        onSuccessor.map(({ body }) => body.data.fingerprint).sort(),
      );
      expect(await licenseOf(successor.id)).toMatchObject({
        status: 'active',
        activations_count: onSuccessor.length,
        deactivations_count: 0,
        last_validated_at: null,
      });
      const verdict = await asApplication(`/licenses/${key}/validate`, { fingerprint: 'old-1' });
      expect(verdict.body.data.code).toBe('ACTIVATION.NOT_FOUND');
    },
  },
];

test.each(races.map((race) => [race.guarantee, race] as const))(
  '%s in every repetition',
  async (_guarantee, { policy, run }) => {
    const { id } = await newPolicy(tenant, policy as Record<string, unknown>);
    for (let repetition = 0; repetition < repetitions; repetition += 1) await run(id);
  },
);

test('an activation beside a change of the lease of its policy has the new lease afterwards', async () => {
  const policy = await newPolicy(tenant);
  const keys = await times(4, async () => created(await asOwner('POST', '/licenses', { policy_id: policy.id })).key);
  for (let round = 0; round < repetitions; round += 1) {
    const lease_seconds = round % 2 === 0 ? 60 + round : null;
    const changing = asOwner('PUT', `/policies/${policy.id}`, { lease_seconds });
    const activated = await Promise.all(keys.map(async (key) => created(await activate(key, newId())).id));
    expect((await changing).status).toBe(200);
    const stored = await Promise.all(
      activated.map(async (id) => (await asOwner('GET', `/activations/${id}`)).body.data),
    );
    expect(stored.map((activation) => activation.lease_expires_at !== null)).toEqual(
      keys.map(() => lease_seconds !== null),
    );
  }
});
