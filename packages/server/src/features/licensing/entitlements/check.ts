import type { EntitlementsTable } from '../../../db/tables/tenant/entitlements.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { memoizeText } from '../../../lib/memoize-text.ts';
import type { Grant, StoredGrant } from './grants.ts';

/** An entitlement in the list of a policy, or of a license that overrides it (then with an end of its own). */
export type ListedEntitlement = StoredGrant<Grant & { readonly expires_at?: Timestamp | null }>;

/** What the policy and the license say: the license overrides by code. */
export interface Grants {
  readonly policy: readonly ListedEntitlement[];
  readonly license: readonly ListedEntitlement[];
}

/** How much was used in the period that runs, and when the next one begins (null: never). */
export interface Counter {
  readonly usage: number;
  readonly resetsAt: Timestamp | null;
}

/** By code. What is missing was not used. */
export type Counters = ReadonlyMap<string, Counter>;

export const noCounters: Counters = new Map();

/** Which entitlements to tell of: these codes, all that are granted, or whatever a list names. */
export type EntitlementQuestion = readonly string[] | 'granted' | 'listed';

type NotGranted = 'ENTITLEMENT.NOT_GRANTED' | 'ENTITLEMENT.EXPIRED';

/**
 * What a license says about one entitlement. `LicenseProblem`: codes for a license that is not usable, which
 * `withhold` adds.
 */
export interface EntitlementCheck<LicenseProblem extends string = never> {
  readonly code: string;
  /** Null when no list names the entitlement. */
  readonly type: EntitlementsTable['type'] | null;
  readonly has_access: boolean;
  readonly value: string | number | boolean | null;
  readonly limit: number | null;
  /** These four are null unless the entitlement is metered and granted. */
  readonly usage: number | null;
  /** Null also without a limit. */
  readonly remaining: number | null;
  readonly overage: 'deny' | 'allow' | null;
  readonly resets_at: Timestamp | null;
  readonly expires_at: Timestamp | null;
  /** Where the grant comes from; null when there is none. */
  readonly source: 'license' | 'policy' | null;
  /** Null with access; else why not. */
  readonly reason: NotGranted | 'ENTITLEMENT.LIMIT_REACHED' | LicenseProblem | null;
}

/** The entry of an entitlement that decides at a moment, and why it grants nothing if so. */
export interface DecidingEntry {
  readonly entry: ListedEntitlement;
  readonly source: 'license' | 'policy';
  readonly problem: NotGranted | null;
}

/** The list that a policy or a license stores. */
export const parseEntitlements = memoizeText((json): readonly ListedEntitlement[] => JSON.parse(json));

/**
 * The entry that decides about an entitlement at `now`; null when no list names it. An override of the license goes
 * before the policy's entry until it expires; then the policy's holds again. Fields that the override leaves out are
 * the policy's: `{ limit }` alone changes the limit and nothing else.
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
  // That the policy withholds it is what an override without a value of its own undoes.
  return granted.value === false ? { ...granted, value: null, ...override } : { ...granted, ...override };
}

function hasExpired(override: ListedEntitlement, now: Timestamp): boolean {
  return override.expires_at != null && now >= override.expires_at;
}

function deciding(entry: ListedEntitlement, source: DecidingEntry['source']): DecidingEntry {
  return { entry, source, problem: entry.value === false ? 'ENTITLEMENT.NOT_GRANTED' : null };
}

/**
 * The requested entitlements in the order asked, once each, or all of the lists. `counters` are those of the metered
 * ones, as `meteredEntries` names them.
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

/** True for what the license grants, also when a metered entitlement is used up for now. */
export function isGranted({ reason }: Pick<EntitlementCheck<string>, 'reason'>): boolean {
  return reason !== 'ENTITLEMENT.NOT_GRANTED' && reason !== 'ENTITLEMENT.EXPIRED';
}

function isMetered(entitlement: ListedEntitlement): boolean {
  return entitlement.type === 'metered';
}

/** The metered entries whose counters `checkEntitlements` needs for its answer; empty where nothing is metered. */
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

/** A license that is not usable gives access to nothing; that an entitlement is not granted at all goes before it. */
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

/** What is left of a limit; null without one, or where nothing is counted. */
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
