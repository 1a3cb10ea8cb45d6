import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, newPolicy, newProduct } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();

/** The random lives of a run; LIVES for more. */
const numRuns = Number(process.env['LIVES'] ?? 8);

const devices = ['a', 'b', 'c', 'd'];
const device = fc.constantFrom(...devices);
const policyIndex = fc.constantFrom(0, 1);
const leases = fc.constantFrom(null, 60, 90, 600);
const limits = fc.constantFrom(null, 0, 1, 2, 3);

const terms = fc.record(
  {
    lease_seconds: leases,
    max_activations: limits,
    activation_overage_percent: fc.constantFrom(null, 0, 50, 100),
    max_deactivations: fc.constantFrom(null, 0, 1, 2),
  },
  { requiredKeys: [] },
);

/** What happens to a license, in a sequence that nobody would think of. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('activate' as const), device }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('heartbeat' as const), device }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('deactivate' as const), device }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(1, 30, 60, 90) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('terms' as const), policy: policyIndex, change: terms }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('limit' as const), max_activations: limits }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('move' as const), policy: policyIndex, inBulk: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('jobs' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

interface Terms {
  lease_seconds: number | null;
  max_activations: number | null;
  activation_overage_percent: number | null;
  max_deactivations: number | null;
}

interface Seat {
  readonly id: string;
  /** In milliseconds; null: it has no lease. */
  end: number | null;
  isReleased: boolean;
}

const free: Terms = {
  lease_seconds: null,
  max_activations: null,
  activation_overage_percent: 0,
  max_deactivations: null,
};

/** A model of a license that knows only the rules, and no database. */
class Model {
  readonly policies: readonly [Terms, Terms] = [{ ...free }, { ...free }];
  readonly seats = new Map<string, Seat>();
  policy: 0 | 1 = 0;
  ownLimit: number | null = null;
  #deactivations = 0;

  get terms(): Terms {
    return this.policies[this.policy];
  }

  get #limit(): number | null {
    return this.ownLimit ?? this.terms.max_activations;
  }

  get #admitted(): number {
    const percent = this.terms.activation_overage_percent;
    if (this.#limit === null || percent === null) return Number.POSITIVE_INFINITY;
    return Math.floor((this.#limit * (100 + percent)) / 100);
  }

  get count(): number {
    return [...this.seats.values()].filter((seat) => this.isActive(seat)).length;
  }

  isActive(seat: Seat | undefined): seat is Seat {
    return seat !== undefined && !seat.isReleased && (seat.end === null || Date.now() < seat.end);
  }

  newEnd(): number | null {
    const { lease_seconds: seconds } = this.terms;
    return seconds === null ? null : Date.now() + seconds * 1000;
  }

  /** Returns the status of an activation. */
  activate(name: string): number {
    if (this.isActive(this.seats.get(name))) return 200;
    return this.count < this.#admitted ? 201 : 422;
  }

  heartbeat(seat: Seat | undefined): number {
    if (!this.isActive(seat)) return 404;
    seat.end = this.newEnd();
    return 200;
  }

  deactivate(seat: Seat | undefined): number {
    if (seat === undefined) return 404;
    if (!this.isActive(seat)) return 200;
    const { max_deactivations: max } = this.terms;
    if (this.count <= this.#admitted) {
      if (max !== null && this.#deactivations >= max) return 422;
      this.#deactivations += 1;
    }
    seat.isReleased = true;
    return 200;
  }

  /** Gives the active devices another lease, which starts now; `change` changes the terms of the license. */
  changeTerms(change: () => void): void {
    const before = this.terms.lease_seconds;
    const active = [...this.seats.values()].filter((seat) => this.isActive(seat));
    change();
    if (this.terms.lease_seconds === before) return;
    for (const seat of active) seat.end = this.newEnd();
  }

  verdict(name: string): readonly [valid: boolean, code: string] {
    const seat = this.seats.get(name);
    if (seat === undefined || seat.isReleased) return [false, 'ACTIVATION.NOT_FOUND'];
    if (!this.isActive(seat)) return [false, 'ACTIVATION.LEASE_EXPIRED'];
    if (this.count > this.#admitted) return [false, 'ACTIVATION.LIMIT_EXCEEDED'];
    return [true, this.#limit !== null && this.count > this.#limit ? 'ACTIVATION.LIMIT_EXCEEDED' : 'LICENSE.VALID'];
  }
}

/** Creates a license with two policies, and returns what takes one step in the service and in the model. */
async function newLife() {
  const { tenant } = suite;
  const { id: product_id } = await newProduct(tenant);
  const create = () => newPolicy(tenant, { product_id, require_activation: true, ...free });
  const policyIds = [(await create()).id, (await create()).id] as const;
  const license = created(await tenant.asOwner('POST', '/licenses', { policy_id: policyIds[0] }));
  const model = new Model();
  const put = async (path: string, body: object) => expect((await tenant.asOwner('PUT', path, body)).status).toBe(200);
  const activations = `/licenses/${license.key}/activations`;
  const onSeat = async (seat: Seat | undefined, action: 'heartbeat' | 'deactivate') =>
    (await tenant.asApplication(`${activations}/${seat?.id ?? license.id}/${action}`)).status;

  async function take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'activate': {
        const expected = model.activate(one.device);
        const { status, body } = await tenant.asApplication(activations, { fingerprint: one.device });
        expect(status).toBe(expected);
        if (status === 201) model.seats.set(one.device, { id: body.data.id, end: model.newEnd(), isReleased: false });
        return;
      }
      case 'heartbeat':
      case 'deactivate': {
        const seat = model.seats.get(one.device);
        const expected = model[one.kind](seat);
        expect(await onSeat(seat, one.kind)).toBe(expected);
        return;
      }
      case 'wait':
        clock.advance(one.seconds * 1000);
        return;
      case 'terms':
        await put(`/policies/${policyIds[one.policy]}`, one.change);
        model.changeTerms(() => Object.assign(model.policies[one.policy], one.change));
        return;
      case 'limit':
        await put(`/licenses/${license.id}`, { max_activations: one.max_activations });
        model.ownLimit = one.max_activations;
        return;
      case 'move': {
        const policy_id = policyIds[one.policy];
        if (one.inBulk) {
          const action = { type: 'change_policy', policy_id };
          expect((await tenant.asOwner('POST', '/bulk-operations', { ids: [license.id], action })).status).toBe(202);
          await runTenantJobs(suite.app);
        } else await put(`/licenses/${license.id}`, { policy_id });
        model.changeTerms(() => {
          model.policy = one.policy;
        });
        return;
      }
      case 'jobs':
        await runTenantJobs(suite.app);
    }
  }

  async function compare(): Promise<void> {
    const { body } = await tenant.asOwner('GET', `/licenses/${license.id}`);
    expect(body.data.activations_count).toBe(model.count);
    for (const fingerprint of devices) {
      const { data } = (await tenant.asApplication(`/licenses/${license.key}/validate`, { fingerprint })).body;
      expect([fingerprint, data.valid, data.code]).toEqual([fingerprint, ...model.verdict(fingerprint)]);
    }
  }
  return { take, compare };
}

test('in random lives of a license, seats and verdicts follow from the rules after each step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }), async (steps) => {
      const life = await newLife();
      for (const one of steps) {
        // No step happens at the end of a lease exactly: times within a millisecond differ in their microseconds.
        clock.advance(1);
        await life.take(one);
        await life.compare();
      }
    }),
    { numRuns, endOnFailure: true },
  );
});
