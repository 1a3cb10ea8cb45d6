import type { MigratedTenant, TenantOutcome } from '../../tenancy/fleet-migration.ts';
import { sentenceOf } from '../failure.ts';

type CountedOutcome = Exclude<TenantOutcome, 'gone'>;

/** The text for each outcome in the summary. */
const labels: Readonly<Record<CountedOutcome, string>> = {
  migrated: 'migrated',
  current: 'already current',
  newer: 'migrated by a newer, compatible version',
  ahead: 'migrated by a newer, incompatible version',
  failed: 'failed',
  unreachable: 'unreachable',
};
const outcomes = Object.keys(labels) as CountedOutcome[];

/** Returns true for a tenant that this version cannot serve now, so that the operator must act. */
export function isFailure({ outcome }: MigratedTenant): boolean {
  return outcome === 'ahead' || outcome === 'failed' || outcome === 'unreachable';
}

/** Collects the results of a `migrate` run. */
export class MigrationReport {
  readonly startedAtMs = performance.now();
  readonly failures: { readonly tenant_id: string; readonly placement: string; readonly reason: string }[] = [];
  readonly #counts: Record<CountedOutcome, number> = {
    migrated: 0,
    current: 0,
    newer: 0,
    ahead: 0,
    failed: 0,
    unreachable: 0,
  };
  readonly #listed: number;
  #gone = 0;
  #workMs = 0;

  constructor(listed: number) {
    this.#listed = listed;
  }

  /** The number of tenants processed so far. */
  get done(): number {
    return outcomes.reduce((sum, outcome) => sum + this.#counts[outcome], this.#gone);
  }

  /** Adds the result of one tenant. */
  add(tenant: MigratedTenant): void {
    const { tenantId: tenant_id, placement, outcome, error, durationMs } = tenant;
    this.#workMs += durationMs;
    if (outcome === 'gone') this.#gone += 1;
    else this.#counts[outcome] += 1;
    if (isFailure(tenant)) this.failures.push({ tenant_id, placement, reason: sentenceOf(error) });
  }

  /** Returns the summary as one sentence for people. */
  summary(): string {
    const { migrated, current, newer } = this.#counts;
    const sentence = `The platform and ${migrated + current + newer} of ${this.#tenants} tenants have a current schema`;
    if (this.done === 0) return `${sentence}.`;
    const occurred = outcomes.filter((outcome) => this.#counts[outcome] > 0);
    const parts = occurred.map((outcome) => `${this.#counts[outcome].toLocaleString('en')} ${labels[outcome]}`);
    if (this.#left > 0) parts.push(`${this.#left.toLocaleString('en')} left`);
    const each = (this.#workMs / this.done).toFixed(1);
    const pace = `${this.#seconds.toFixed(1)} s, one every ${this.#msPerTenant.toFixed(1)} ms, each took ${each} ms`;
    return `${sentence}: ${parts.join(', ')} (${pace}).`;
  }

  /** Returns the report of `--json`. */
  toJson() {
    return {
      tenants: this.#tenants,
      ...this.#counts,
      left: this.#left,
      seconds: Number(this.#seconds.toFixed(3)),
      ms_per_tenant: Number(this.#msPerTenant.toFixed(3)),
      failures: this.failures,
    };
  }

  get #tenants(): number {
    return this.#listed - this.#gone;
  }

  get #left(): number {
    return this.#listed - this.done;
  }

  get #seconds(): number {
    return (performance.now() - this.startedAtMs) / 1000;
  }

  /** Elapsed time per tenant. A single migration takes longer, because several run concurrently. */
  get #msPerTenant(): number {
    return this.done === 0 ? 0 : (this.#seconds * 1000) / this.done;
  }
}
