import type { LicensesTable, UsageInterval } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import {
  decidingEntry,
  type Grants,
  type ListedEntitlement,
  parseEntitlements,
  remainingOf,
} from '../entitlements/decision.ts';
import { licenseDenial } from '../licenses/license-status.ts';
import { endOfPeriod, type Periods, periodsAt, type ResetInterval } from './period.ts';
import type { TotalsNamed, UsageTotal } from './queries.ts';
import type { UsageCounter, UsageRefusal } from './schemas.ts';

/** One reported consumption, with the time at which it occurred and the periods that contain this time. */
export interface TimedEvent {
  readonly entitlement: string;
  readonly quantity: number;
  readonly idempotencyKey: string | null;
  readonly occurredAt: Timestamp;
  readonly periods: Periods;
}

/** The outcome of one event. `reason` is null unless the event was refused. */
export type Outcome = { readonly status: 'accepted' | 'duplicate' | 'refused'; readonly reason: UsageRefusal | null };

/** A limit that an event reached, or that refused an event. */
export interface ReachedLimit {
  readonly code: string;
  readonly limit: number;
  readonly usage: number;
  readonly overage: 'deny' | 'allow';
  readonly interval: ResetInterval;
  readonly period: string;
}

/** The license and policy of the reported usage, the tenant's timezone, and the time of the report. */
export interface UsageBatchSubject {
  readonly license: Pick<LicensesTable, 'status' | 'created_at' | 'starts_at' | 'expires_at' | 'entitlements_json'>;
  readonly policy: Pick<PoliciesTable, 'expiry_strategy' | 'grace_days' | 'entitlements_json'>;
  readonly timezone: string;
  readonly at: Timestamp;
}

const maxAgeDays = 35;
const maxAheadSeconds = 300;
const intervals = ['hour', 'day', 'week', 'month', 'year', 'none'] as const satisfies UsageInterval[];

const accepted: Outcome = { status: 'accepted', reason: null };
const duplicate: Outcome = { status: 'duplicate', reason: null };
const refused = (reason: UsageRefusal): Outcome => ({ status: 'refused', reason });

/** The state of one entitlement within a batch. */
interface Account {
  /** Only the grants of this entitlement. */
  readonly grants: Grants;
  /** The reset intervals of its grants, and `none`, which has the largest counter. */
  readonly resets: readonly ResetInterval[];
  /** Totals by interval and period, concatenated. */
  readonly totals: Map<string, number>;
  /** Accepted quantities by hour. The hour determines the periods of every other interval. */
  readonly additions: Map<string, { readonly periods: Periods; quantity: number }>;
}

/**
 * Accepts or refuses the events of one report in order, against stored totals and idempotency keys, and collects the
 * additions to store. It does not access the database: the caller must read what `needs` names and pass it to `load`
 * before the first `take`.
 */
export class UsageBatch {
  readonly #subject: UsageBatchSubject;
  readonly #grants: Grants;
  readonly #earliest: Timestamp;
  readonly #latest: Timestamp;
  readonly #now: Periods;
  readonly #accounts = new Map<string, Account>();
  readonly #reached = new Map<string, ReachedLimit>();
  #usedKeys = new Set<string>();

  constructor(subject: UsageBatchSubject) {
    this.#subject = subject;
    this.#grants = {
      policy: parseEntitlements(subject.policy.entitlements_json),
      license: parseEntitlements(subject.license.entitlements_json),
    };
    this.#earliest = addDays(subject.at, -maxAgeDays);
    this.#latest = addSeconds(subject.at, maxAheadSeconds);
    this.#now = periodsAt(toEpochMs(subject.at), subject.timezone);
  }

  /** Returns which totals must be loaded for these events. */
  needs(events: readonly TimedEvent[]): TotalsNamed {
    const resets = new Set<ResetInterval>();
    const periods = new Set<string>();
    const codes: string[] = [];
    for (const code of new Set(events.map((event) => event.entitlement))) {
      const account = this.#account(code);
      if (account.resets.length > 0) codes.push(code);
      for (const reset of account.resets) resets.add(reset);
    }
    for (const named of new Set([this.#now, ...events.map((event) => event.periods)])) {
      for (const reset of resets) periods.add(named[reset]);
    }
    return { codes, intervals: [...resets], periods: [...periods] };
  }

  /** Sets the stored totals, and the idempotency keys under which events were already counted. */
  load(totals: readonly UsageTotal[], usedKeys: Set<string>): void {
    for (const { entitlement_code, interval, period, quantity } of totals) {
      this.#account(entitlement_code).totals.set(interval + period, quantity);
    }
    this.#usedKeys = usedKeys;
  }

  /** Counts one event completely, or returns why it is not counted. */
  take(event: TimedEvent): Outcome {
    const { idempotencyKey } = event;
    if (idempotencyKey !== null && this.#usedKeys.has(idempotencyKey)) return duplicate;
    if (event.occurredAt < this.#earliest || event.occurredAt > this.#latest) return refused('USAGE.OUT_OF_WINDOW');
    const account = this.#account(event.entitlement);
    const decides = decidingEntry(account.grants, event.entitlement, event.occurredAt);
    if (decides === null) return refused('ENTITLEMENT.NOT_GRANTED');
    if (decides.problem !== null) return refused(decides.problem);
    if (decides.entry.type !== 'metered') return refused('ENTITLEMENT.NOT_METERED');
    // The license's dates are checked against the time of use, so that a late report is still counted. Suspension and
    // revocation by the vendor refuse every report.
    const denial = licenseDenial(this.#subject.license, this.#subject.policy, event.occurredAt);
    if (denial !== null) return refused(denial);
    const refusal = this.#count(event, account, decides.entry);
    if (refusal !== null) return refused(refusal);
    if (idempotencyKey !== null) this.#usedKeys.add(idempotencyKey);
    return accepted;
  }

  #count(event: TimedEvent, account: Account, entry: ListedEntitlement): UsageRefusal | null {
    const { quantity, periods } = event;
    const { limit = null, reset = 'none', overage = 'deny' } = entry;
    const usage = usageOf(account, reset, periods);
    if (limit !== null && overage === 'deny' && usage + quantity > limit) {
      this.#noteReached({ code: entry.code, limit, usage, overage, interval: reset, period: periods[reset] });
      return 'ENTITLEMENT.LIMIT_REACHED';
    }
    if (usageOf(account, 'none', periods) + quantity > Number.MAX_SAFE_INTEGER) return 'USAGE.TOTAL_TOO_LARGE';
    add(account, periods, quantity);
    const isCrossed = limit !== null && usage + quantity >= limit && (usage < limit || usage === 0);
    if (isCrossed) {
      const reached = { limit, usage: usage + quantity, overage, interval: reset, period: periods[reset] };
      this.#noteReached({ code: entry.code, ...reached });
    }
    return null;
  }

  #noteReached(reached: ReachedLimit): void {
    this.#reached.set(`${reached.code} ${reached.period} ${reached.limit}`, reached);
  }

  /** Returns the quantities of the accepted events per entitlement, for the totals of every interval. */
  additions(): UsageTotal[] {
    const sums = new Map<string, UsageTotal>();
    for (const [code, account] of this.#accounts) {
      for (const { periods, quantity } of account.additions.values()) {
        for (const interval of intervals) {
          const period = periods[interval];
          const name = `${interval} ${period} ${code}`;
          const sum = (sums.get(name)?.quantity ?? 0) + quantity;
          sums.set(name, { interval, period, entitlement_code: code, quantity: sum });
        }
      }
    }
    return [...sums.values()];
  }

  /** Returns the limits that these events reached or hit. Some may have been reached by an earlier report. */
  reached(): Iterable<ReachedLimit> {
    return this.#reached.values();
  }

  /** Returns the counters of the metered entitlements that the events name, in the current periods. */
  counters(): UsageCounter[] {
    const { at, timezone } = this.#subject;
    return [...this.#accounts].flatMap(([code, account]) => {
      const decides = decidingEntry(account.grants, code, at);
      if (decides?.problem !== null || decides.entry.type !== 'metered') return [];
      const { limit = null, reset = 'none' } = decides.entry;
      const usage = usageOf(account, reset, this.#now);
      const resets_at = endOfPeriod(this.#now[reset], reset, timezone);
      return [{ code, usage, limit, remaining: remainingOf(usage, limit), resets_at }];
    });
  }

  #account(code: string): Account {
    let account = this.#accounts.get(code);
    if (account === undefined) {
      account = openAccount(this.#grants, code);
      this.#accounts.set(code, account);
    }
    return account;
  }
}

function openAccount({ policy, license }: Grants, code: string): Account {
  const isOwn = (entry: ListedEntitlement) => entry.code === code;
  const grants = { policy: policy.filter(isOwn), license: license.filter(isOwn) };
  const metered = [...grants.policy, ...grants.license].filter((entry) => entry.type === 'metered');
  const resets = new Set<ResetInterval>(metered.map((entry) => entry.reset ?? 'none'));
  if (metered.length > 0) resets.add('none');
  return { grants, resets: [...resets], totals: new Map(), additions: new Map() };
}

function usageOf({ totals }: Account, interval: ResetInterval, periods: Periods): number {
  return totals.get(interval + periods[interval]) ?? 0;
}

function add(account: Account, periods: Periods, quantity: number): void {
  for (const reset of account.resets) {
    account.totals.set(reset + periods[reset], usageOf(account, reset, periods) + quantity);
  }
  const addition = account.additions.get(periods.hour);
  if (addition === undefined) account.additions.set(periods.hour, { periods, quantity });
  else addition.quantity += quantity;
}
