import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { presentDispute, presentEnd, presentRefund } from './period.ts';
import type { SaleState } from './sale.ts';

/** What an item of a shop becomes, with the product of its policy. */
export interface SoldOffer {
  readonly policy_id: string;
  readonly product_id: string;
  /**
   * `policy`: one license. `seats`: one license with a limit of activations. `licenses`: one license per unit. `ignore`:
   * nothing.
   */
  readonly quantity: 'policy' | 'seats' | 'licenses' | 'ignore';
  readonly seats_per_unit: number;
  readonly on_refund: 'revoke' | 'suspend' | 'nothing';
  /**
   * So many days after a payment failed, the licenses are suspended; until then they work, also beyond the period that is
   * paid. Null: they end with the period that is paid, and the policy's days of grace follow.
   */
  readonly suspend_after_days: number | null;
}

/** What a sale makes of one license. `sale_licenses` keeps what was applied last. */
export interface LicenseTerms {
  readonly policyId: string;
  readonly productId: string;
  /** Null: the policy's limit. */
  readonly maxActivations: number | null;
  /** Null: without an end. `policy`: the end that the policy gives a new license. */
  readonly expiresAt: Timestamp | null | 'policy';
  readonly status: LicensesTable['status'];
}

/** What a sale entitles its buyer to. */
export interface Entitled {
  readonly licenses: readonly LicenseTerms[];
  /** Items without an offer. Nothing is changed while there are any, because they may replace a mapped item. */
  readonly unmapped: readonly string[];
  /** Items of which more licenses were sold than one sale may issue. Nothing is changed while there are any. */
  readonly excessive: readonly string[];
  /** When time alone changes the result; null if it never does. */
  readonly nextChangeAt: Timestamp | null;
}

/** Each license of an offer is a row, an event and a mail. A larger number is a mistake, or needs seats. */
const licensesPerSaleMax = 1000;

/** The largest limit of activations that a license can have. */
const seatsMax = 1_000_000;

/**
 * Returns when the licenses of an offer end: at the end of the paid period, or earlier if the subscription ends earlier,
 * or later while a missing payment is waited for.
 */
function endOf(sale: SaleState, offer: SoldOffer): Timestamp | null | 'policy' {
  const { kind, paidUntil, state } = sale;
  const endsAt = presentEnd(sale);
  if (kind?.value !== 'subscription') return endsAt ?? (state?.value === 'ended' ? state.at : 'policy');
  const paid = laterOf(paidUntil?.value ?? null, suspensionOf(sale, offer));
  const end = endsAt ?? (state?.value === 'ended' ? (paid ?? state.at) : null);
  if (end === null || paid === null) return end ?? paid;
  return end < paid ? end : paid;
}

/** Null as the first: without an end. Null as the second: nothing is waited for. */
function laterOf(paid: Timestamp | null, suspension: Timestamp | null): Timestamp | null {
  return paid !== null && suspension !== null && suspension > paid ? suspension : paid;
}

/**
 * Returns the status of the licenses of an offer. A subscription that still runs is only suspended by a refund, because a
 * later payment makes its license usable again, and a revocation is final.
 */
function statusOf(sale: SaleState, offer: SoldOffer, now: Timestamp): LicensesTable['status'] {
  const { state, kind } = sale;
  const dispute = presentDispute(sale);
  const isFinal = kind?.value !== 'subscription' || state?.value === 'ended';
  if (offer.on_refund !== 'nothing') {
    if (presentRefund(sale) === 'full' || dispute === 'lost') {
      return offer.on_refund === 'revoke' && isFinal ? 'revoked' : 'suspended';
    }
    if (dispute === 'open') return 'suspended';
  }
  if (state?.value === 'paused') return 'suspended';
  const suspendAt = suspensionOf(sale, offer);
  return suspendAt !== null && suspendAt <= now ? 'suspended' : 'active';
}

/** Returns when a missing payment suspends the licenses of an offer; null if none is missing or it never does. */
function suspensionOf({ state, pastDueSince }: SaleState, { suspend_after_days }: SoldOffer): Timestamp | null {
  if (state?.value !== 'past_due' || suspend_after_days === null) return null;
  return addDays(pastDueSince?.value ?? state.at, suspend_after_days);
}

/** Returns the terms of the licenses of one item. */
function licensesOf(sale: SaleState, quantity: number, offer: SoldOffer, now: Timestamp): LicenseTerms[] {
  if (offer.quantity === 'ignore' || quantity < 1) return [];
  const terms: LicenseTerms = {
    policyId: offer.policy_id,
    productId: offer.product_id,
    maxActivations: offer.quantity === 'seats' ? Math.min(quantity * offer.seats_per_unit, seatsMax) : null,
    expiresAt: endOf(sale, offer),
    status: statusOf(sale, offer, now),
  };
  return Array.from({ length: offer.quantity === 'licenses' ? quantity : 1 }, () => terms);
}

/**
 * Returns what a sale entitles its buyer to at `now`. Pure: every effect of a sale follows from this, whatever reports
 * made it known and in what order.
 */
export function entitledBy(sale: SaleState, offers: ReadonlyMap<string, SoldOffer>, now: Timestamp): Entitled {
  const items = sale.items?.value ?? [];
  const isPending = sale.state === undefined || sale.state.value === 'pending' || sale.kind === undefined;
  if (isPending) return { licenses: [], unmapped: [], excessive: [], nextChangeAt: null };
  const unmapped = items.filter(({ externalId }) => !offers.has(externalId)).map(({ externalId }) => externalId);
  const mapped = items.flatMap(({ externalId, quantity }) => {
    const offer = offers.get(externalId);
    return offer === undefined ? [] : [{ externalId, offer, quantity }];
  });
  const counted = mapped.filter(({ offer }) => offer.quantity !== 'ignore');
  const count = counted.reduce((sum, { offer, quantity }) => sum + (offer.quantity === 'licenses' ? quantity : 1), 0);
  const excessive = count > licensesPerSaleMax ? [...new Set(counted.map(({ externalId }) => externalId))] : [];
  if (excessive.length > 0) return { licenses: [], unmapped, excessive, nextChangeAt: null };
  const licenses = mapped.flatMap(({ offer, quantity }) => licensesOf(sale, quantity, offer, now));
  const suspensions = mapped.flatMap(({ offer }) => suspensionOf(sale, offer) ?? []).filter((at) => at > now);
  return {
    licenses,
    unmapped,
    excessive,
    nextChangeAt: suspensions.sort()[0] ?? null,
  };
}

function isPast(expiresAt: LicenseTerms['expiresAt'], now: Timestamp): boolean {
  return expiresAt !== null && expiresAt !== 'policy' && expiresAt <= now;
}

/** Returns true if a license with these terms can be used at `now`. */
export function isGranted({ status, expiresAt }: LicenseTerms, now: Timestamp): boolean {
  return status === 'active' && !isPast(expiresAt, now);
}

/** The terms that were applied to a license last, and those that it gets. */
interface TermsChange {
  readonly from: LicenseTerms;
  readonly to: LicenseTerms;
}

/** Returns true if a sale was paid after `paidBefore`. Both are `presentSince`. */
export function isPaidSince(paidBefore: Timestamp | null, since: Timestamp | null): boolean {
  return since !== null && (paidBefore === null || since > paidBefore);
}

/** What somebody did to a license, so that the sale does not make it usable. */
export type VendorBlock = 'suspended' | 'revoked' | 'deleted';

/** Returns what keeps a license from being used although its sale grants it; null if nothing does. */
export function blockOf(status: LicenseTerms['status'] | 'deleted', { from, to }: TermsChange): VendorBlock | null {
  if (status === 'suspended') return from.status === to.status ? 'suspended' : null;
  return status === 'active' ? null : status;
}

/**
 * Returns true if a license keeps its end `present` instead of getting the one of its sale, `next`, because a person gave
 * it more time than the renewal does.
 */
export function keepsEnd(present: Timestamp | null, next: Timestamp | null, { from, to }: TermsChange): boolean {
  const isRenewal = from.expiresAt !== null && to.expiresAt !== null && to.expiresAt > from.expiresAt;
  return isRenewal && to.expiresAt !== 'policy' && (present === null || (next !== null && present > next));
}

/** A license that a sale has issued, with the terms that were applied last. */
export interface SoldLicense {
  readonly licenseId: string;
  readonly applied: LicenseTerms;
}

/** What has to be done so that the licenses of a sale match what it entitles to. */
export interface LicensePlan {
  readonly issue: readonly LicenseTerms[];
  readonly change: readonly { readonly license: SoldLicense; readonly to: LicenseTerms }[];
}

/**
 * Compares the licenses of a sale with what it entitles to. A license stays with its product: another policy of the
 * product changes it, and another product ends it and issues another. Licenses that are left over end at `leftOverEnd`.
 * A revoked license is never used again, and nothing is issued that could not be used at `now`. Changes that a person made to
 * a license stay, because only terms that differ from those applied last are changed.
 */
export function planLicenses(
  entitled: readonly LicenseTerms[],
  present: readonly SoldLicense[],
  { now, leftOverEnd }: { readonly now: Timestamp; readonly leftOverEnd: Timestamp },
): LicensePlan {
  // A license that is in use keeps its key; one that an earlier change ended is used again only if no other is left.
  const hasEnded = ({ applied }: SoldLicense) => isPast(applied.expiresAt, now);
  const usable = present.filter(({ applied }) => applied.status !== 'revoked');
  const free = [...usable.filter((license) => !hasEnded(license)), ...usable.filter(hasEnded)];
  const change: { license: SoldLicense; to: LicenseTerms }[] = [];
  let missing = entitled;
  // First the licenses whose policy stays, so that of two items of one product each keeps its own license.
  for (const isMatch of [isSamePolicy, isSameProduct]) {
    missing = missing.filter((to) => {
      const index = free.findIndex(({ applied }) => isMatch(applied, to));
      const [license] = index < 0 ? [] : free.splice(index, 1);
      if (license !== undefined) change.push({ license, to });
      return license === undefined;
    });
  }
  const ended = free.map((license) => ({ license, to: endedAt(license.applied, leftOverEnd) }));
  const issue = missing.filter((terms) => isGranted(terms, now));
  return { issue, change: [...change, ...ended].filter(({ license, to }) => !isEqual(license.applied, to)) };
}

const isSamePolicy = (one: LicenseTerms, other: LicenseTerms) => one.policyId === other.policyId;
const isSameProduct = (one: LicenseTerms, other: LicenseTerms) => one.productId === other.productId;

function endedAt(applied: LicenseTerms, end: Timestamp): LicenseTerms {
  const isEarlier = applied.expiresAt !== null && applied.expiresAt !== 'policy' && applied.expiresAt <= end;
  return isEarlier ? applied : { ...applied, expiresAt: end };
}

function isEqual(one: LicenseTerms, other: LicenseTerms): boolean {
  return (Object.keys(one) as (keyof LicenseTerms)[]).every((field) => one[field] === other[field]);
}
