import type { LicenseChecksTable } from '../../../db/tables/tenant/checks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { keptChecks, type LicenseCheck } from './schemas.ts';

/** One request of a device and its result, or several equal ones that were merged. */
export interface GatheredCheck {
  readonly kind: LicenseChecksTable['kind'];
  /** Empty if the request named no device. */
  readonly fingerprint: string;
  readonly code: string;
  readonly isAllowed: boolean;
  appVersion: string | null;
  address: string | null;
  firstAt: Timestamp;
  lastAt: Timestamp;
  count: number;
}

/** The checks of a license that wait to be written, the ones that were seen first at the beginning. */
export interface GatheredChecks {
  readonly tenantId: string;
  readonly checks: GatheredCheck[];
}

/** Adds later checks to earlier ones of the same license, in place. Drops the oldest above the number that is kept. */
export function mergeChecks(older: GatheredChecks, newer: GatheredChecks): GatheredChecks {
  const { checks } = older;
  for (const check of newer.checks) {
    const same = checks.find((known) => isSame(known, check));
    if (same === undefined) {
      checks.push(check);
      if (checks.length > keptChecks) checks.shift();
      continue;
    }
    same.count += check.count;
    same.lastAt = check.lastAt;
    same.address = check.address;
    same.appVersion = check.appVersion ?? same.appVersion;
  }
  return older;
}

function isSame(left: GatheredCheck, right: GatheredCheck): boolean {
  return left.fingerprint === right.fingerprint && left.code === right.code && left.kind === right.kind;
}

/** Returns the API representation of a check. */
export function presentCheck(row: LicenseChecksTable): LicenseCheck {
  return {
    kind: row.kind,
    fingerprint: row.fingerprint === '' ? null : row.fingerprint,
    code: row.code,
    is_allowed: row.is_allowed === 1,
    app_version: row.app_version,
    address: row.address,
    first_at: row.first_at,
    last_at: row.last_at,
    count: row.count,
  };
}
