import type { JsonObject } from '../../../../lib/json-object.ts';
import { formatMoney, minorUnitDigits } from '../../../../lib/money.ts';
import { idOf, listOf, numberOf, objectOf, textOf } from '../fields.ts';
import { priceInWords } from '../price-in-words.ts';
import { type ReadShop, readList } from '../requests.ts';
import type { ShopOffer } from '../shop.ts';

const pageSize = 100;
/** At most 1,000 prices are offered for the choice; ids of others can be pasted. */
const pagesMax = 10;

/** Stripe counts these currencies in hundredths, whatever ISO 4217 says (https://docs.stripe.com/currencies). */
const hundredths = new Set(['isk', 'ugx']);

/** Returns the price in words; null for a price in tiers or that the buyer chooses. */
function priceOf({ unit_amount, currency, recurring }: JsonObject): string | null {
  const amount = numberOf(unit_amount);
  const code = textOf(currency);
  if (amount === null || code === null) return null;
  const { interval, interval_count } = objectOf(recurring);
  const minor = hundredths.has(code) && minorUnitDigits(code) === 0 ? Math.round(amount / 100) : amount;
  return priceInWords(formatMoney(minor, code), textOf(interval), numberOf(interval_count));
}

function offerOf(price: JsonObject): ShopOffer[] {
  const externalId = idOf(price);
  if (externalId === null) return [];
  const names = [textOf(objectOf(price['product'])['name']), textOf(price['nickname'])].filter((name) => name !== null);
  return [{ externalId, name: names.join(', ') || externalId, price: priceOf(price) }];
}

/** Reads the active prices of a Stripe account. Throws `ShopApiError`. */
export async function priceOffers(read: ReadShop): Promise<readonly ShopOffer[]> {
  const offers: ShopOffer[] = [];
  let after: string | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const query = { active: 'true', limit: pageSize, 'expand[]': ['data.product'], starting_after: after };
    const { data, has_more } = await readList(read, '/v1/prices', query);
    const prices = listOf(data);
    offers.push(...prices.flatMap(offerOf));
    after = idOf(prices.at(-1));
    if (has_more !== true || after === null) break;
  }
  return offers;
}
