import type { EntitlementsTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { memoizeText } from '../../../lib/memoize.ts';
import type { Grant, StoredGrant } from './grants.ts';

/** A stored grant of a policy, or of a license that overrides it. Only grants of licenses have an `expires_at`. */
export type ListedEntitlement = StoredGrant<Grant & { readonly expires_at?: Timestamp | null }>;

/** The grants of the policy and of the license. The license overrides the policy by code. */
export interface Grants {
  readonly policy: readonly ListedEntitlement[];
  readonly license: readonly ListedEntitlement[];
}

/** The usage in the current period. `resetsAt`: the start of the next period, null for a counter that never resets. */
export interface Counter {
  readonly usage: number;
  readonly resetsAt: Timestamp | null;
}

/** Counters by entitlement code. A missing counter means zero usage. */
export type Counters = ReadonlyMap<string, Counter>;

/** The counters of a license without metered entitlements. */
export const noCounters: Counters = new Map();

/**
 * The entitlements to check: these codes, all granted ones, or all entries of the policy and the license (granted or
 * withheld).
 */
export type EntitlementQuestion = readonly string[] | 'granted' | 'listed';

type NotGranted = 'ENTITLEMENT.NOT_GRANTED' | 'ENTITLEMENT.EXPIRED';

/**
 * The result of checking one entitlement of a license. `LicenseProblem`: the codes for an unusable license, which
 * `withhold` adds.
 */
export interface EntitlementCheck<LicenseProblem extends string = never> {
  readonly code: string;
  /** Null when neither policy nor license lists the entitlement. */
  readonly type: EntitlementsTable['type'] | null;
  readonly has_access: boolean;
  readonly value: string | number | boolean | null;
  readonly limit: number | null;
  /** `usage`, `remaining`, `overage` and `resets_at` are null unless the entitlement is metered and granted. */
  readonly usage: number | null;
  /** Also null when the entitlement has no limit. */
  readonly remaining: number | null;
  readonly overage: 'deny' | 'allow' | null;
  readonly resets_at: Timestamp | null;
  readonly expires_at: Timestamp | null;
  /** Whether the grant of the policy or of the license decides; null when neither lists the entitlement. */
  readonly source: 'license' | 'policy' | null;
  /** The reason for no access; null with access. */
  readonly reason: NotGranted | 'ENTITLEMENT.LIMIT_REACHED' | LicenseProblem | null;
}

/** The grant that applies at a given time. `problem`: why it gives no access, or null. */
export interface DecidingEntry {
  readonly entry: ListedEntitlement;
  readonly source: 'license' | 'policy';
  readonly problem: NotGranted | null;
}

const noEntitlements: readonly ListedEntitlement[] = [];
const parseListed = memoizeText((json): readonly ListedEntitlement[] => JSON.parse(json));

/** Parses `entitlements_json` of a policy or a license. Memoized by text. Most licenses have no entries of their own. */
export function parseEntitlements(json: string): readonly ListedEntitlement[] {
  return json === '[]' ? noEntitlements : parseListed(json);
}

/**
 * Returns the grant that applies to an entitlement at `now`; null when neither policy nor license lists it. The
 * license's grant takes precedence until it expires; afterwards the policy's applies again. Fields missing from the
 * license's grant come from the policy's: `{ limit }` alone changes only the limit.
 */
export function decidingEntry(grants: Grants, code: string, now: Timestamp): DecidingEntry | null {
  const override = grants.license.find((entitlement) => entitlement.code === code);
  const granted = grants.policy.find((entitlement) => entitlement.code === code);
  if (override !== undefined && !hasExpired(override, now)) return deciding(inherit(override, granted), 'license');
  if (granted !== undefined) return deciding(granted, 'policy');
  return override === undefined ? null : { entry: override, source: 'license', problem: 'ENTITLEMENT.EXPIRED' };
}

function inherit(override: ListedEntitlement, granted: ListedEntitlement | undefined): ListedEntitlement {
  if (granted === undefined) return override;
  // The policy withholds the entitlement. An override without a value of its own grants it again.
  return granted.value === false ? { ...granted, value: null, ...override } : { ...granted, ...override };
}

function hasExpired(override: ListedEntitlement, now: Timestamp): boolean {
  return override.expires_at != null && now >= override.expires_at;
}

function deciding(entry: ListedEntitlement, source: DecidingEntry['source']): DecidingEntry {
  return { entry, source, problem: entry.value === false ? 'ENTITLEMENT.NOT_GRANTED' : null };
}

/**
 * Checks the requested entitlements, in the requested order without duplicates, or all listed ones. `counters` must
 * contain the counters of the entries that `meteredEntries` returns.
 */
export function checkEntitlements(
  grants: Grants,
  question: EntitlementQuestion,
  now: Timestamp,
  counters: Counters,
): EntitlementCheck[] {
  const checks = codesOf(grants, question).map((code) => checkEntitlement(grants, code, now, counters));
  return question === 'granted' ? checks.filter(isGranted) : checks;
}

function codesOf({ policy, license }: Grants, question: EntitlementQuestion): readonly string[] {
  if (typeof question !== 'string') return question.length < 2 ? question : [...new Set(question)];
  if (license.length === 0) return policy.map((entitlement) => entitlement.code);
  return [...new Set([...policy, ...license].map((entitlement) => entitlement.code))];
}

/** Returns true for a granted entitlement, even when a metered one has reached its limit in the current period. */
export function isGranted({ reason }: Pick<EntitlementCheck<string>, 'reason'>): boolean {
  return reason !== 'ENTITLEMENT.NOT_GRANTED' && reason !== 'ENTITLEMENT.EXPIRED';
}

function isMetered(entitlement: ListedEntitlement): boolean {
  return entitlement.type === 'metered';
}

/** Returns the metered grants for which `checkEntitlements` needs counters, given the same arguments. */
export function meteredEntries(
  grants: Grants,
  question: EntitlementQuestion,
  now: Timestamp,
): readonly ListedEntitlement[] {
  if (!grants.policy.some(isMetered) && !grants.license.some(isMetered)) return [];
  return codesOf(grants, question).flatMap((code) => {
    const decides = decidingEntry(grants, code, now);
    return decides !== null && decides.problem === null && isMetered(decides.entry) ? [decides.entry] : [];
  });
}

/**
 * Removes access from every granted entitlement, with the denial of an unusable license as the reason. Entitlements
 * that are not granted keep their own reason.
 */
export function withhold<LicenseProblem extends string>(
  checks: readonly EntitlementCheck[],
  denial: LicenseProblem,
): EntitlementCheck<LicenseProblem>[] {
  return checks.map((check) => (isGranted(check) ? { ...check, has_access: false, reason: denial } : check));
}

function checkEntitlement(grants: Grants, code: string, now: Timestamp, counters: Counters): EntitlementCheck {
  const decides = decidingEntry(grants, code, now);
  if (decides === null) return unknown(code);
  const { entry, source, problem } = decides;
  const isCounted = problem === null && isMetered(entry);
  const counter = isCounted ? counters.get(code) : undefined;
  const usage = isCounted ? (counter?.usage ?? 0) : null;
  const limit = entry.limit ?? null;
  const overage = isCounted ? (entry.overage ?? 'deny') : null;
  const reason = problem ?? (isUsedUp(usage, limit, overage) ? 'ENTITLEMENT.LIMIT_REACHED' : null);
  return {
    code,
    type: entry.type,
    has_access: reason === null,
    value: entry.value ?? null,
    limit,
    usage,
    remaining: remainingOf(usage, limit),
    overage,
    resets_at: counter?.resetsAt ?? null,
    expires_at: entry.expires_at ?? null,
    source,
    reason,
  };
}

function isUsedUp(usage: number | null, limit: number | null, overage: EntitlementCheck['overage']): boolean {
  return overage === 'deny' && usage !== null && limit !== null && usage >= limit;
}

/** Returns the quantity left below the limit, at least 0; null without a limit or without a counter. */
export function remainingOf(usage: number | null, limit: number | null): number | null {
  return usage === null || limit === null ? null : Math.max(0, limit - usage);
}

function unknown(code: string): EntitlementCheck {
  return {
    code,
    type: null,
    has_access: false,
    value: null,
    limit: null,
    usage: null,
    remaining: null,
    overage: null,
    resets_at: null,
    expires_at: null,
    source: null,
    reason: 'ENTITLEMENT.NOT_GRANTED',
  };
}
