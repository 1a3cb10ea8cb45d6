import type { SalesTable } from '../../../db/tables/tenant/sales.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import type { Effect, SaleContext } from './context.ts';
import { buyerKey, holderOf } from './holder.ts';
import { type AppliedTerms, changeSold, issueSold, readBlock, type SharedFacts } from './license-effects.ts';
import { presentSince, shownState } from './period.ts';
import { findOffers, listLicensesOf, type OfferOfSale, updateSaleRow, writeSaleLicense } from './queries.ts';
import {
  type Entitled,
  entitledBy,
  isGranted,
  isPaidSince,
  type LicenseTerms,
  planLicenses,
  type SoldOffer,
  type VendorBlock,
} from './rule.ts';
import type { SaleState } from './sale.ts';

/** Why the licenses of a sale do not match it. */
export type SaleProblem = 'unmapped' | 'too_many' | 'limit_reached' | 'refused' | 'unusable';

/** The result of applying a sale. */
export interface AppliedSale {
  readonly row: SalesTable;
  readonly effects: readonly Effect[];
  /** In words for the vendor; null if the licenses match the sale now. */
  readonly problem: string | null;
}

/** After how many days such a sale is checked again: nothing reports that a person reinstated the license. */
const unusableRecheckDays = 1;

/**
 * Changes the licenses of a sale to what it entitles its buyer to, and stores the sale. The caller must have locked the
 * sale. Repeating it changes nothing. Throws what the licensing services throw, for example 403 `PLAN.LIMIT_REACHED`: the
 * transaction must then be rolled back. With `replaces`, another license replaces a paid one that was revoked or deleted
 * here.
 */
export async function applySale(
  context: SaleContext,
  row: SalesTable,
  { replaces = false } = {},
): Promise<AppliedSale> {
  const { tx, at } = context;
  const state = stateOf(row);
  const items = state.items?.value ?? [];
  const offers = await findOffers(
    tx,
    row.connection_id,
    items.map(({ externalId }) => externalId),
  );
  const entitled = entitledBy(state, soldOffers(offers), at);
  const licenses = await listLicensesOf(tx, [row.id]);
  const isOver = licenses.length === 0 && state.state?.value === 'ended';
  const problem = isOver ? null : problemOf(entitled);
  if (problem !== null) {
    await storeSale(context, row, state, { ...problem, nextChangeAt: null });
    return { row, effects: [], problem: problem.message };
  }
  const { effects, lost } = await changeLicenses(context, row, { state, entitled, licenses });
  const replaceable = lost.filter(({ why }) => why !== 'suspended');
  if (replaces && replaceable.length > 0) {
    await giveUp(context, row, replaceable);
    const again = await applySale(context, row);
    return { ...again, effects: [...effects, ...again.effects] };
  }
  const { code, message } = paymentProblem(lost) ?? { code: null, message: null };
  const again = code === null ? null : addDays(at, unusableRecheckDays);
  const { nextChangeAt } = entitled;
  const isEarlier = again !== null && (nextChangeAt === null || again < nextChangeAt);
  await storeSale(context, row, state, { code, message, nextChangeAt: isEarlier ? again : nextChangeAt });
  return { row, effects, problem: message };
}

/** A license that a payment has paid for, and that cannot be used because of what somebody did to it here. */
interface LostLicense {
  readonly licenseId: string;
  readonly applied: AppliedTerms;
  readonly why: VendorBlock;
}

/** The licenses do not belong to the sale any more: what it still grants is issued anew. */
async function giveUp(context: SaleContext, row: SalesTable, lost: readonly LostLicense[]): Promise<void> {
  for (const { licenseId, applied } of lost) {
    await writeApplied(context, row, licenseId, { ...applied, terms: { ...applied.terms, status: 'revoked' } });
  }
}

/** Returns the problem of a payment for a license that cannot be used; null without one. */
function paymentProblem([first]: readonly LostLicense[]): Problem | null {
  if (first === undefined) return null;
  const wayOut =
    first.why === 'suspended'
      ? 'Reinstate the license'
      : 'It cannot be reinstated: apply the sale to issue another license';
  const message = `The customer pays for a license that was ${first.why} here. ${wayOut}, or stop the subscription in the shop.`;
  return { code: 'unusable', message };
}

/** Returns what is known of a sale. */
export function stateOf({ state_json }: Pick<SalesTable, 'state_json'>): SaleState {
  return JSON.parse(state_json);
}

/**
 * Returns offers by the shop's id of the item. A policy that was deleted has no product: the licenses of the offer are then
 * left alone until the issue fails.
 */
export function soldOffers(offers: readonly OfferOfSale[]): ReadonlyMap<string, SoldOffer> {
  return new Map(offers.map((offer) => [offer.external_id, { ...offer, product_id: offer.product_id ?? '' }]));
}

interface Problem {
  readonly code: SaleProblem;
  readonly message: string;
}

/** Returns why the offers do not fit a sale; null if they do. */
export function problemOf({ unmapped, excessive }: Entitled): Problem | null {
  const [missing, tooMany] = [unmapped.join(', '), excessive.join(', ')];
  if (missing !== '') {
    return {
      code: 'unmapped',
      message: `No offer says what this item of the shop becomes: ${missing}. Add an offer for it.`,
    };
  }
  if (tooMany === '') return null;
  const message = `More than 1,000 licenses were sold at once of: ${tooMany}. Sell devices of one license in the offer instead.`;
  return { code: 'too_many', message };
}

interface Changes {
  readonly state: SaleState;
  readonly entitled: Entitled;
  readonly licenses: Awaited<ReturnType<typeof listLicensesOf>>;
}

interface Changed {
  readonly effects: readonly Effect[];
  readonly lost: readonly LostLicense[];
}

/** What a sale says of all its licenses. `since`: `presentSince`. */
interface SaleTerms {
  readonly facts: SharedFacts;
  readonly since: Timestamp | null;
}

async function changeLicenses(
  context: SaleContext,
  row: SalesTable,
  { state, entitled, licenses }: Changes,
): Promise<Changed> {
  const applied = new Map(licenses.map(({ license_id, applied_json }) => [license_id, readApplied(applied_json)]));
  const present = [...applied].map(([licenseId, { terms }]) => ({ licenseId, applied: terms }));
  const plan = planLicenses(entitled.licenses, present, { now: context.at, leftOverEnd: context.at });
  const targets = new Map(plan.change.map(({ license, to }) => [license.licenseId, to]));
  const facts: SharedFacts = {
    holder: holderOf(state.buyer?.value),
    startedAt: state.startedAt?.value ?? null,
    isPastDue: state.state?.value === 'past_due',
    keyPrefix: context.keyPrefix,
  };
  const terms = { facts, since: presentSince(state) };
  const effects: Effect[] = [];
  const lost: LostLicense[] = [];
  for (const [licenseId, from] of applied) {
    const change = { from, to: targets.get(licenseId) ?? from.terms, ...terms };
    const changed = await changePresent(context, row, licenseId, change);
    effects.push(...changed.effects);
    lost.push(...changed.lost);
  }
  return { effects: [...effects, ...(await issueMissing(context, row, plan.issue, terms))], lost };
}

async function changePresent(
  context: SaleContext,
  row: SalesTable,
  licenseId: string,
  { from, to, facts, since }: SaleTerms & { readonly from: AppliedTerms; readonly to: LicenseTerms },
): Promise<Changed> {
  const { paidSince: paidBefore = null } = from;
  // Also a payment that grants nothing yet, for example while the subscription is paused, counts when it does.
  const why = isPaidSince(paidBefore, since) ? await readBlock(context, licenseId, { from: from.terms, to }) : null;
  const applied: AppliedTerms = { terms: to, holder: facts.holder, paidSince: why === null ? since : paidBefore };
  const isSame = to === from.terms && JSON.stringify(from.holder) === JSON.stringify(facts.holder);
  const effects = isSame ? [] : await changeSold(context, licenseId, { from, to, facts });
  if (!isSame || applied.paidSince !== paidBefore) await writeApplied(context, row, licenseId, applied);
  return { effects, lost: why !== null && isGranted(to, context.at) ? [{ licenseId, applied, why }] : [] };
}

async function issueMissing(
  context: SaleContext,
  row: SalesTable,
  missing: readonly LicenseTerms[],
  { facts, since }: SaleTerms,
): Promise<Effect[]> {
  const { tx, at, outbox, tenant, actor } = context;
  const effects: Effect[] = [];
  for (const terms of missing) {
    const licenseId = await issueSold(context, terms, facts);
    await writeApplied(context, row, licenseId, { terms, holder: facts.holder, paidSince: since });
    effects.push({ effect: 'issued', license_id: licenseId });
  }
  // At the end of the transaction: no transaction waits for another lock while it holds a counter.
  if (missing.length > 0) {
    const { requestId } = actor;
    await reserveQuota(tx, outbox, tenant, { resource: 'licenses', count: missing.length, at, requestId });
  }
  return effects;
}

/** Returns what a sale applied to a license last, from its column. */
export function readApplied(json: string): AppliedTerms {
  return JSON.parse(json);
}

async function writeApplied(context: SaleContext, row: SalesTable, licenseId: string, applied: AppliedTerms) {
  const written = { license_id: licenseId, sale_id: row.id, applied_json: JSON.stringify(applied) };
  await writeSaleLicense(context.tx, { ...written, created_at: context.at });
}

interface Outcome {
  readonly code: SaleProblem | null;
  readonly message: string | null;
  readonly nextChangeAt: SalesTable['next_change_at'];
}

/** Stores a sale with its state, its problem, and the columns of lists. The caller must have locked it. */
export async function storeSale(
  { tx, at }: SaleContext,
  row: SalesTable,
  state: SaleState,
  { code, message, nextChangeAt }: Outcome,
): Promise<void> {
  const buyer = state.buyer?.value;
  Object.assign(row, {
    state_json: JSON.stringify(state),
    kind: state.kind?.value ?? null,
    state: state.state?.value ?? null,
    shown_state: shownState(state),
    buyer_email_key: buyerKey(buyer),
    checkout_id: state.checkoutId?.value ?? null,
    problem: code,
    problem_message: message,
    next_change_at: nextChangeAt,
    updated_at: at,
  } satisfies Partial<SalesTable>);
  const { name, email, reference } = holderOf(buyer);
  await updateSaleRow(tx, row, [name, email, reference]);
}
