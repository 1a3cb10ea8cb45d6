import type { TenantDb } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { momentOfDay } from '../../../lib/day.ts';
import { addDays } from '../../../lib/duration.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { findProductsById } from '../../licensing/products/service.ts';
import type { FieldChange } from '../../tenant-core/audit/audit.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import {
  countBegun,
  countSeats,
  type FiguredLicense,
  listRetentionChanges,
  readEnded,
  readRecorded,
} from './figures-queries.ts';
import type { Figures, FiguresQuery } from './schemas.ts';

/** The current month and those before it. */
const monthsShown = 12;

/**
 * Returns what became of a tenant's licenses, by months of its timezone, and the seats in use, of all products or of one.
 * What began comes from the licenses and trials, which are kept. Renewals and losses also need audit records: they are null
 * in a month whose records were removed.
 */
export async function readFigures(
  { clock }: Services,
  { db }: Tenant,
  { product_id: productId }: FiguresQuery,
): Promise<Figures> {
  const now = clock.now();
  const { timezone, retention_days } = await readSettings(db);
  const months = monthsUntil(now, timezone);
  const auditedSince = await readAuditedSince(db, now, retention_days.audit);
  const firstKnown = months.findIndex(({ from }) => from >= auditedSince);
  const since = months[firstKnown]?.from;
  const isCounted = (license: FiguredLicense, at: Timestamp) =>
    (productId === undefined || license.product_id === productId) && at >= (license.trial_until ?? at);
  const changed = since === undefined ? null : await readChanges(db, { since, now, months, isCounted });
  const figures: Figures['months'] = [];
  for (const [index, { month, from, to }] of months.entries()) {
    const { licenses, trials, conversions } = await countBegun(db, from, to, productId);
    const known = firstKnown >= 0 && index >= firstKnown ? changed : null;
    figures.push({
      month,
      issued: licenses - trials,
      renewed: known && (known.renewed[index] ?? 0),
      lost: known && (known.lost[index] ?? 0),
      trials_started: trials,
      trials_converted: conversions,
    });
  }
  return { timezone, months: figures, seats: await readSeats(db, now, productId) };
}

interface Month {
  readonly month: string;
  readonly from: Timestamp;
  readonly to: Timestamp;
}

function monthsUntil(now: Timestamp, timezone: string): Month[] {
  const first = Temporal.Instant.from(now).toZonedDateTimeISO(timezone).toPlainDate().with({ day: 1 });
  return Array.from({ length: monthsShown }, (_, index) => {
    const day = first.subtract({ months: monthsShown - 1 - index });
    const startOf = (date: Temporal.PlainDate) => momentOfDay(date.toString(), 'from', timezone);
    return { month: day.toString().slice(0, 7), from: startOf(day), to: startOf(day.add({ months: 1 })) };
  });
}

/**
 * Returns since when the audit log is complete. A retention that was shorter at an earlier time has removed records that
 * the present one would keep.
 */
async function readAuditedSince(db: TenantDb, now: Timestamp, auditDays: number): Promise<Timestamp> {
  let since = addDays(now, -auditDays);
  for (const { occurred_at, changes_json } of await listRetentionChanges(db)) {
    const changes: FieldChange[] = JSON.parse(changes_json);
    const before = changes.find(({ field }) => field === 'retention_days')?.old as
      | { readonly audit: number }
      | undefined;
    const removed = before === undefined ? since : addDays(occurred_at, -before.audit);
    if (removed > since) since = removed;
  }
  return since;
}

interface KnownPeriod {
  readonly since: Timestamp;
  readonly now: Timestamp;
  readonly months: readonly Month[];
  readonly isCounted: (license: FiguredLicense, at: Timestamp) => boolean;
}

/** Returns the numbers of licenses that were renewed and lost, by the index of the month. */
async function readChanges(db: TenantDb, { since, now, months, isCounted }: KnownPeriod) {
  const monthAt = (at: Timestamp) => months.findIndex(({ from, to }) => from <= at && at < to);
  const recorded = async (event: string, visit: (license: FiguredLicense, at: Timestamp) => void) => {
    for (const name of [event, `${event}_BY_ADMIN`]) {
      for await (const rows of readRecorded(db, name, since)) for (const row of rows) visit(row, row.occurred_at);
    }
  };
  const renewed = months.map(() => new Set<string>());
  await recorded('LICENSE.RENEWED', (license, at) => {
    if (isCounted(license, at)) renewed[monthAt(at)]?.add(license.id);
  });
  const candidates = new Map<string, FiguredLicense>();
  const revokedAt = new Map<string, Timestamp>();
  await recorded('LICENSE.REVOKED', (license, at) => {
    candidates.set(license.id, license);
    if (at > (revokedAt.get(license.id) ?? '')) revokedAt.set(license.id, at);
  });
  await recorded('LICENSE.DELETED', (license) => candidates.set(license.id, license));
  for await (const rows of readEnded(db, since, now)) for (const row of rows) candidates.set(row.id, row);
  const lost = months.map(() => 0);
  for (const license of candidates.values()) {
    const at = lostAt(license, revokedAt.get(license.id), now);
    if (at === null || at < since || !isCounted(license, at)) continue;
    const month = monthAt(at);
    lost[month] = (lost[month] ?? 0) + 1;
  }
  return { renewed: renewed.map(({ size }) => size), lost };
}

/**
 * Returns when a license was lost: when it ended, was revoked or was deleted, whatever came first. Null if it was not, if it
 * was revoked before the known period, and if it had ended before it was created, as imported ones may have.
 */
function lostAt(license: FiguredLicense, revokedAt: Timestamp | undefined, now: Timestamp): Timestamp | null {
  const { status, created_at, expires_at, deleted_at } = license;
  if (status === 'revoked' && revokedAt === undefined) return null;
  const times = [expires_at, deleted_at, status === 'revoked' ? revokedAt : null].filter((at) => at != null);
  const [first] = times.filter((at) => at <= now).sort();
  return first === undefined || first <= created_at ? null : first;
}

async function readSeats(db: TenantDb, now: Timestamp, productId?: string): Promise<Figures['seats']> {
  const seats = [...(await countSeats(db, now))].filter(([id]) => productId === undefined || id === productId);
  const products = await findProductsById(
    db,
    seats.map(([id]) => id),
  );
  return seats
    .map(([id, count]) => ({ product_id: id, product_name: products.get(id)?.name ?? '', seats: count }))
    .sort((left, right) => right.seats - left.seats || (left.product_id < right.product_id ? -1 : 1));
}
