import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { presentSince } from './period.ts';
import {
  bornAt,
  catalogue,
  type Delivery,
  deliver,
  happen,
  type Life,
  type Owned,
  owed,
  type Truth,
  type VendorAct,
} from './random-life.fixture.ts';
import {
  blockOf,
  entitledBy,
  isGranted,
  isPaidSince,
  keepsEnd,
  type LicenseTerms,
  planLicenses,
  type SoldLicense,
} from './rule.ts';
import { addFact, type SaleState } from './sale.ts';

/** The functions under test, of which each can be replaced by a wrong one. */
export interface Rule {
  readonly addFact: typeof addFact;
  readonly entitledBy: typeof entitledBy;
  readonly planLicenses: typeof planLicenses;
  readonly blockOf: typeof blockOf;
  readonly keepsEnd: typeof keepsEnd;
}

export const rule: Rule = { addFact, entitledBy, planLicenses, blockOf, keepsEnd };

/** A license, with the terms of its sale and its row, which the vendor changes as well. */
interface Simulated {
  readonly licenseId: string;
  applied: LicenseTerms;
  paidSince: Timestamp | null;
  /** The end that the vendor gave, until the shop ends the license earlier; null without one. */
  promised: LicenseTerms['expiresAt'];
  row: { status: LicensesTable['status'] | 'deleted'; expiresAt: LicenseTerms['expiresAt'] };
}

/** The licenses of one sale, as the service would change them. */
class Licenses {
  readonly #rule: Rule;
  #state: SaleState = {};
  #nextChangeAt: Timestamp | null = null;
  readonly all: Simulated[] = [];
  /** Licenses that were paid for and cannot be used, by what the vendor did. */
  lost: string[] = [];
  /** When the payment was made that was known last when the vendor acted. */
  actedAfterPaymentOf: Timestamp | null = null;

  constructor(used: Rule) {
    this.#rule = used;
  }

  receive({ at, fact }: Delivery): void {
    this.passTo(at);
    this.#state = this.#rule.addFact(this.#state, fact);
    this.apply(at);
  }

  /** Lets the job run whenever time alone changes the result. */
  passTo(now: Timestamp): void {
    while (this.#nextChangeAt !== null && this.#nextChangeAt <= now) this.apply(this.#nextChangeAt);
  }

  apply(now: Timestamp): void {
    const entitled = this.#rule.entitledBy(this.#state, catalogue, now);
    this.#nextChangeAt = entitled.nextChangeAt;
    const plan = this.#rule.planLicenses(entitled.licenses, this.all, { now, leftOverEnd: now });
    const since = presentSince(this.#state);
    this.lost = [];
    for (const license of this.all) {
      const to = plan.change.find((change) => change.license.licenseId === license.licenseId)?.to;
      if (to !== undefined && license.applied.status === 'revoked') throw new Error('A revoked license was changed.');
      this.#change(license, { from: license.applied, to: to ?? license.applied }, since, now);
    }
    for (const applied of plan.issue) {
      const row = { status: applied.status, expiresAt: applied.expiresAt };
      this.all.push({ licenseId: String(this.all.length), applied, paidSince: since, promised: null, row });
    }
  }

  /** Changes a license as the service changes its row. */
  #change(
    license: Simulated,
    change: { readonly from: LicenseTerms; readonly to: LicenseTerms },
    since: Timestamp | null,
    now: Timestamp,
  ): void {
    const { row } = license;
    const { from, to } = change;
    const block = isPaidSince(license.paidSince, since) ? this.#rule.blockOf(row.status, change) : null;
    if (block === null) license.paidSince = since;
    else if (isGranted(to, now)) this.lost.push(block);
    license.applied = to;
    if ((to.expiresAt ?? '') < (from.expiresAt ?? '')) license.promised = null;
    if (row.status === 'deleted' || row.status === 'revoked') return;
    if (from.status !== to.status) row.status = to.status;
    const [present, next] = [row.expiresAt, to.expiresAt];
    const isKept = present !== 'policy' && next !== 'policy' && this.#rule.keepsEnd(present, next, change);
    if (from.expiresAt !== to.expiresAt && !isKept) row.expiresAt = next;
  }

  /** The vendor changes the first license, as far as it allows it. */
  act({ name }: VendorAct): void {
    const [license] = this.all;
    if (license === undefined || license.row.status === 'deleted') return;
    const { row } = license;
    this.actedAfterPaymentOf = presentSince(this.#state);
    if (name === 'delete') row.status = 'deleted';
    else if (name === 'extend') license.promised = row.expiresAt = extendedEnd(row.expiresAt);
    else if (row.status !== 'revoked') row.status = name === 'revoke' ? 'revoked' : 'suspended';
  }
}

function extendedEnd(end: LicenseTerms['expiresAt']): LicenseTerms['expiresAt'] {
  return end === null || end === 'policy' ? end : addDays(end, 45);
}

/** Returns what is wrong with the first license, which the vendor may have changed; null if nothing is. */
function wrongAfterActs(licenses: Licenses, truth: Truth, now: Timestamp): string | null {
  const [first] = licenses.all;
  if (first === undefined || licenses.actedAfterPaymentOf === null) return null;
  const { applied, row, promised } = first;
  if (promised !== null && (row.expiresAt ?? '') < promised) return 'The shop took back the time that the vendor gave.';
  const isUsable = row.status === 'active' && isGranted({ ...applied, expiresAt: row.expiresAt }, now);
  const mustBeUsable = isGranted(applied, now) && truth.paidSince > licenses.actedAfterPaymentOf;
  if (mustBeUsable && !isUsable && licenses.lost.length === 0) return 'The customer has paid for nothing in silence.';
  return null;
}

/** Returns what is wrong after a life, in words; null if the licenses are as the shop's final state says. */
export function problemAfter(life: Life, used: Rule): string | null {
  const happened = happen(life);
  const licenses = new Licenses(used);
  const deliveries = deliver(happened, life);
  for (const [index, delivery] of deliveries.entries()) {
    licenses.receive(delivery);
    for (const act of life.vendor.filter(({ after }) => after === index)) licenses.act(act);
  }
  const truth = happened.at(-1)?.truth;
  if (truth === undefined) return null;
  const lastAt = [...deliveries.map(({ at }) => at), happened.at(-1)?.at ?? bornAt].sort().at(-1) ?? bornAt;
  for (const days of [0, 4, 8, 40]) {
    const now = addDays(lastAt, days);
    licenses.passTo(now);
    const usable = licenses.all.flatMap(({ applied }) => ownedOf(applied, now));
    const [has, must] = [describe(usable), describe(owed(truth, now))];
    if (has !== must) return `At ${now} the customer has ${has} and must have ${must}.`;
    const wrong = wrongAfterActs(licenses, truth, now);
    if (wrong !== null) return wrong;
  }
  return issuedTwice(
    licenses.all,
    happened.map(({ truth: one }) => one),
  );
}

function ownedOf({ status, expiresAt, policyId, maxActivations }: LicenseTerms, now: Timestamp): Owned[] {
  if (status !== 'active' || expiresAt === null || expiresAt === 'policy' || expiresAt <= now) return [];
  return [{ policyId, maxActivations, expiresAt }];
}

const describe = (owned: readonly Owned[]) => JSON.stringify(owned.map((one) => JSON.stringify(one)).sort());

/** Each product has one license per sale at the time of the most sales, and one more per revocation. */
function issuedTwice(
  all: readonly SoldLicense[],
  truths: readonly { item: string; quantity: number }[],
): string | null {
  for (const product of new Set(all.map(({ applied }) => applied.productId))) {
    const ofProduct = all.filter(({ applied }) => applied.productId === product);
    const revoked = ofProduct.filter(({ applied }) => applied.status === 'revoked').length;
    const sold = truths.map(({ item, quantity }) => {
      const offer = catalogue.get(item);
      if (offer?.product_id !== product) return 0;
      return offer.quantity === 'seats' ? 1 : quantity;
    });
    if (ofProduct.length - revoked > Math.max(...sold))
      return `Of ${product}, ${ofProduct.length} licenses were issued.`;
  }
  return null;
}
