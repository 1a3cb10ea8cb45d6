import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import {
  bornAt,
  catalogue,
  type Delivery,
  deliver,
  happen,
  type Life,
  type Owned,
  owed,
} from './random-life.fixture.ts';
import { entitledBy, type LicenseTerms, planLicenses, type SoldLicense } from './rule.ts';
import { addFact, type SaleState } from './sale.ts';

/** The functions under test, of which each can be replaced by a wrong one. */
export interface Rule {
  readonly addFact: typeof addFact;
  readonly entitledBy: typeof entitledBy;
  readonly planLicenses: typeof planLicenses;
}

export const rule: Rule = { addFact, entitledBy, planLicenses };

/** The licenses of one sale, as the service would change them. */
class Licenses {
  readonly #rule: Rule;
  #state: SaleState = {};
  #nextChangeAt: Timestamp | null = null;
  readonly all: { licenseId: string; applied: LicenseTerms }[] = [];

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
    for (const { license, to } of plan.change) this.#change(license, to);
    for (const applied of plan.issue) this.all.push({ licenseId: String(this.all.length), applied });
  }

  #change({ licenseId }: SoldLicense, to: LicenseTerms): void {
    const license = this.all.find((one) => one.licenseId === licenseId);
    if (license === undefined) throw new Error(`A license ${licenseId} was changed that was never issued.`);
    if (license.applied.status === 'revoked') throw new Error('A revoked license was changed.');
    license.applied = to;
  }
}

/** Returns what is wrong after a life, in words; null if the licenses are as the shop's final state says. */
export function problemAfter(life: Life, used: Rule): string | null {
  const happened = happen(life);
  const licenses = new Licenses(used);
  const deliveries = deliver(happened, life);
  for (const delivery of deliveries) licenses.receive(delivery);
  const truth = happened.at(-1)?.truth;
  if (truth === undefined) return null;
  const lastAt = [...deliveries.map(({ at }) => at), happened.at(-1)?.at ?? bornAt].sort().at(-1) ?? bornAt;
  for (const days of [0, 4, 8, 40]) {
    const now = addDays(lastAt, days);
    licenses.passTo(now);
    const usable = licenses.all.flatMap(({ applied }) => ownedOf(applied, now));
    const [has, must] = [describe(usable), describe(owed(truth, now))];
    if (has !== must) return `At ${now} the buyer has ${has} and must have ${must}.`;
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

/** Of each product there are as many licenses as were ever sold at once, and one more for each that was revoked. */
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
