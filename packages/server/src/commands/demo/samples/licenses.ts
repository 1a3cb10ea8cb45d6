import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { generateLicenseKey } from '../../../features/licensing/licenses/license-key.ts';
import { newLicense } from '../../../features/licensing/licenses/service.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { DemoCatalog, DemoModel } from './catalog.ts';
import { dayMs, type Present } from './past.ts';
import { type Person, randomPerson } from './people.ts';
import type { Random } from './random.ts';

/** The use of a license. `used`: its term runs or has run; `unused`: its term has not started. */
type Fate = 'used' | 'unused' | 'future' | 'suspended' | 'revoked';

/** A license of the demo with facts that its row does not contain. */
export interface DemoLicense {
  readonly row: LicensesTable;
  readonly model: DemoModel;
  readonly holder: Person;
  /** When the term started, in milliseconds since the epoch; null for an unused license. */
  readonly startedMs: number | null;
  /** When it was suspended or revoked; null for any other license. */
  readonly changedAt: Timestamp | null;
}

/** A number of licenses whose term ends between two numbers of days from now; without days, it does not end. */
interface Group {
  readonly model: DemoModel;
  readonly count: number;
  readonly fate: Fate;
  readonly endsInDays?: readonly [number, number];
  /** For a license without end: the days since its start. */
  readonly startedDaysAgo?: readonly [number, number];
}

const groups: readonly Group[] = [
  { model: 'subscription', count: 38, fate: 'used', endsInDays: [15, 355] },
  { model: 'subscription', count: 9, fate: 'used', endsInDays: [1, 13] },
  { model: 'subscription', count: 7, fate: 'used', endsInDays: [-13, -1] },
  { model: 'subscription', count: 8, fate: 'used', endsInDays: [-40, -16] },
  { model: 'subscription', count: 4, fate: 'unused', startedDaysAgo: [1, 20] },
  { model: 'subscription', count: 2, fate: 'suspended', endsInDays: [60, 300] },
  { model: 'subscription', count: 2, fate: 'revoked', endsInDays: [60, 300] },
  { model: 'perpetual', count: 42, fate: 'used', startedDaysAgo: [1, 400] },
  { model: 'perpetual', count: 3, fate: 'future', startedDaysAgo: [1, 6] },
  { model: 'perpetual', count: 3, fate: 'suspended', startedDaysAgo: [40, 300] },
  { model: 'perpetual', count: 2, fate: 'revoked', startedDaysAgo: [40, 300] },
  { model: 'trial', count: 12, fate: 'used', endsInDays: [1, 13] },
  { model: 'trial', count: 25, fate: 'used', endsInDays: [-75, -1] },
  { model: 'trial', count: 3, fate: 'unused', startedDaysAgo: [1, 5] },
  { model: 'floating', count: 15, fate: 'used', endsInDays: [20, 350] },
  { model: 'floating', count: 1, fate: 'used', endsInDays: [-5, -2] },
  { model: 'floating', count: 2, fate: 'used', endsInDays: [-40, -10] },
  { model: 'floating', count: 1, fate: 'suspended', endsInDays: [60, 300] },
  { model: 'floating', count: 1, fate: 'revoked', endsInDays: [60, 300] },
  { model: 'metered', count: 18, fate: 'used', startedDaysAgo: [15, 200] },
  { model: 'metered', count: 2, fate: 'suspended', startedDaysAgo: [60, 200] },
];

/** Returns about two hundred licenses of every model in every state, the oldest first. */
export function planLicenses(random: Random, present: Present, catalog: DemoCatalog): DemoLicense[] {
  const each = groups.flatMap((group) => Array.from({ length: group.count }, () => group));
  const licenses = each.map((group, index) => planLicense(random, present, catalog, group, 1001 + index));
  return licenses.sort((one, other) => (one.row.created_at < other.row.created_at ? -1 : 1));
}

function planLicense(
  random: Random,
  present: Present,
  catalog: DemoCatalog,
  group: Group,
  number: number,
): DemoLicense {
  const { model, fate } = group;
  const policy = catalog[model];
  const startedAgo = daysSinceStart(random, group, policy);
  const startedAt = present.ago(startedAgo);
  const isBought = policy.expiry_basis !== 'creation' && fate !== 'unused';
  const createdAt = present.ago(startedAgo + (isBought ? random.next() * 2 : 0));
  const holder = randomPerson(random);
  const input = {
    holder: { name: holder.name, email: holder.email, reference: `D-${number}` },
    metadata: { demo: true, company: holder.company },
    starts_at: fate === 'future' ? present.ago(-random.integer(5, 40)) : createdAt,
  };
  const created = newLicense(policy, generateLicenseKey(policy.key_prefix), input, createdAt, 'UTC');
  const isStarted = fate !== 'unused' && fate !== 'future';
  const days = termDays(policy);
  const expiresAt = isStarted && days !== null ? addDays(startedAt, days) : null;
  const end = created.expires_at ?? expiresAt;
  const status = fate === 'suspended' || fate === 'revoked' ? fate : 'active';
  const changedAt = status === 'active' ? null : present.ago(Math.min(startedAgo - 1, 1 + random.next() * 40));
  const validatedAt = isStarted ? lastValidation(random, present, toEpochMs(startedAt), changedAt ?? end) : null;
  const changed = {
    status,
    expires_at: end,
    updated_at: changedAt ?? startedAt,
    last_validated_at: validatedAt,
  } as const;
  const row: LicensesTable = { ...created, ...changed, ...noted(present, end) };
  return { row, model, holder, startedMs: isStarted ? toEpochMs(startedAt) : null, changedAt };
}

/** How long a license of the policy is valid, in days; null: it never expires. */
function termDays({ duration_days, duration_months }: PoliciesTable): number | null {
  return duration_months === null ? duration_days : Math.round((duration_months * 365) / 12);
}

function daysSinceStart(
  random: Random,
  { endsInDays, startedDaysAgo = [1, 300] }: Group,
  policy: PoliciesTable,
): number {
  const [min, max] = endsInDays ?? startedDaysAgo;
  const days = min + random.next() * (max - min);
  return endsInDays === undefined ? days : (termDays(policy) ?? 0) - days;
}

/** The ends that were reported in the past, so that no job reports them now. */
function noted(
  { nowMs }: Present,
  end: Timestamp | null,
): Pick<LicensesTable, 'expiring_noted_for' | 'expired_noted_for'> {
  const endMs = end === null ? Number.POSITIVE_INFINITY : toEpochMs(end);
  return {
    expiring_noted_for: endMs < nowMs + 14 * dayMs ? end : null,
    expired_noted_for: endMs < nowMs ? end : null,
  };
}

/** Licenses in use were validated in the last two days; the others shortly before their end. */
function lastValidation(random: Random, present: Present, startedMs: number, end: Timestamp | null): Timestamp {
  const untilMs = Math.min(present.nowMs - 90_000, end === null ? Number.POSITIVE_INFINITY : toEpochMs(end));
  const daysBefore = Math.min(random.next() * 2, (untilMs - startedMs) / dayMs);
  return present.ago((present.nowMs - untilMs) / dayMs + Math.max(0, daysBefore));
}
