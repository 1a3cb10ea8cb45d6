import type { Logger } from 'pino';
import type { TenantDb } from '../../../db/database.ts';
import type { LicenseChecksTable } from '../../../db/tables/tenant/checks.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';
import { createWriteBehind, flushGroups, type WriteBehind } from '../../../lib/write-behind.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import type { TenantPool } from '../../../tenancy/tenant-pool.ts';
import { tenantsInReach } from '../../../tenancy/tenants-in-reach.ts';
import { type GatheredChecks, mergeChecks } from './check.ts';
import { addChecks, trimChecks } from './queries.ts';
import { keptChecks } from './schemas.ts';

const maxDelayMs = 1000;
/** The pace: each second's flush writes for this many licenses, which takes the embedded engine some 10 ms. */
const licensesPerFlush = 500;
/** Licenses per transaction. On the embedded engine a transaction blocks the process, so it must stay short. */
const maxPerTransaction = 100;
/** The service stops within 10 s, in which it writes for all tenants. */
const tenantsAtTheEnd = 8;
/** About 25 MB. Above it the checks of the licenses that have waited longest are lost. */
const waitingLicensesMax = 50_000;

/** One request of a device, and what it was told. */
interface Check {
  readonly kind: LicenseChecksTable['kind'];
  readonly fingerprint: string | undefined;
  readonly code: string;
  readonly isAllowed: boolean;
  readonly appVersion: string | undefined;
  readonly address: string | null;
  readonly at: Timestamp;
}

interface DeviceHistoryOptions {
  readonly withTenant: Pick<TenantPool, 'withTenantDb' | 'hasConnectionAtHand'>;
  readonly logger: Logger;
}

/**
 * Gathers what devices ask about licenses, and what they are told, in memory. Equal checks are counted. A flush each
 * second writes the checks of up to 500 licenses, refused ones first, so that the cost does not grow with the number
 * of validations. A crash loses what was not written.
 */
export class DeviceHistory {
  readonly #checks: WriteBehind<string, GatheredChecks>;
  #isClosing = false;

  constructor({ withTenant, logger }: DeviceHistoryOptions) {
    this.#checks = createWriteBehind<string, GatheredChecks>({
      maxDelayMs,
      maxKeys: waitingLicensesMax,
      merge: mergeChecks,
      postpone: (waiting) => licensesToPostpone(waiting, withTenant),
      flush: (batch) => {
        const write: WithTenantDb = (tenantId, work) => withTenant.withTenantDb(tenantId, work);
        return writeChecks(batch, write, this.#isClosing ? tenantsAtTheEnd : 1);
      },
      onError: (error) => logger.warn({ err: error }, 'writing the checks of licenses failed; retrying'),
    });
  }

  /** Records a check of a license. Costs no I/O. */
  record(tenant: Pick<Tenant, 'id'>, licenseId: string, check: Check): void {
    const { kind, code, isAllowed, appVersion = null, address, at } = check;
    const fingerprint = storedFingerprint(check.fingerprint ?? '');
    const gathered = { kind, fingerprint, code, isAllowed, appVersion, address, firstAt: at, lastAt: at, count: 1 };
    this.#checks.record(licenseId, { tenantId: tenant.id, checks: [gathered] });
  }

  /** Writes everything that is gathered. */
  flush(): Promise<void> {
    return this.#checks.flush();
  }

  /** Writes everything that is gathered, then stops the timer. */
  close(): Promise<void> {
    this.#isClosing = true;
    return this.#checks.close();
  }
}

const isRefused = ({ checks }: GatheredChecks) => checks.some(({ isAllowed }) => !isAllowed);

/** Returns the licenses that wait for a later flush: those above the pace, and those of tenants without a connection. */
function licensesToPostpone(
  waiting: ReadonlyMap<string, GatheredChecks>,
  tenants: Pick<TenantPool, 'hasConnectionAtHand'>,
): ReadonlySet<string> {
  const mayWrite = tenantsInReach(waiting.values(), tenants);
  const postponed = new Set<string>();
  let left = licensesPerFlush;
  for (const [licenseId, gathered] of waiting) {
    const writesNow = mayWrite.has(gathered.tenantId) && left > 0 && isRefused(gathered);
    if (writesNow) left -= 1;
    else postponed.add(licenseId);
  }
  for (const [licenseId, { tenantId }] of waiting) {
    if (left === 0) break;
    if (mayWrite.has(tenantId) && postponed.delete(licenseId)) left -= 1;
  }
  return postponed;
}

type WithTenantDb = (tenantId: string, work: (db: TenantDb) => Promise<void>) => Promise<void>;

/** Writes each transaction as a group of its own: after a failure only its checks are written again. */
async function writeChecks(
  batch: ReadonlyMap<string, GatheredChecks>,
  withTenantDb: WithTenantDb,
  parallelism: number,
): Promise<void> {
  const byTenant = Map.groupBy([...batch].sort(byId), ([, { tenantId }]) => tenantId);
  const groups = [...byTenant].flatMap(([tenantId, licenses]) =>
    [...batchesOf(licenses, maxPerTransaction)].map((slice) => ({
      keys: slice.map(([licenseId]) => licenseId),
      write: () => withTenantDb(tenantId, (db) => writeSlice(db, slice)),
    })),
  );
  await flushGroups(groups, parallelism);
}

type Entry = readonly [licenseId: string, checks: GatheredChecks];

/** In the order of ids, so that two nodes that write for the same licenses cannot deadlock. */
const byId = ([left]: Entry, [right]: Entry) => (left < right ? -1 : 1);

async function writeSlice(db: TenantDb, slice: readonly Entry[]): Promise<void> {
  const rows = slice.flatMap(([licenseId, { checks }]) => checks.map((check) => toRow(licenseId, check)).sort(byKey));
  const write = async (tx: Parameters<Parameters<TenantDb['transaction']>[0]>[0]) => {
    await addChecks(tx, rows);
    await trimChecks(
      tx,
      slice.map(([licenseId]) => licenseId),
      keptChecks,
    );
  };
  await db.transaction(write, { mayLoseChanges: true });
}

function toRow(licenseId: string, check: GatheredChecks['checks'][number]): LicenseChecksTable {
  return {
    license_id: licenseId,
    kind: check.kind,
    fingerprint: check.fingerprint,
    code: check.code,
    is_allowed: check.isAllowed ? 1 : 0,
    app_version: check.appVersion,
    address: check.address,
    first_at: check.firstAt,
    last_at: check.lastAt,
    count: check.count,
  };
}

function byKey(left: LicenseChecksTable, right: LicenseChecksTable): number {
  const [one, other] = [left, right].map(({ kind, code, fingerprint }) => `${kind} ${code} ${fingerprint}`);
  return (one ?? '') < (other ?? '') ? -1 : 1;
}
