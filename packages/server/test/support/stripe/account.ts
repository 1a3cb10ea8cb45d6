import { fill } from './types/fill.ts';
import { typeOfObject } from './types/objects.ts';

// A simulated Stripe account, reduced to the needs of the tests. Its objects are complete: the fields that a test does not
// set are empty, and each response is compared with the declarations of Stripe's library.

// biome-ignore lint/suspicious/noExplicitAny: objects of an external API; the service uses the library's types.
export type StripeObject = any;

/** An error response of the API. */
export class StripeFailure extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, error: { type: string; code?: string; message: string; param?: string }) {
    super(error.message);
    this.status = status;
    this.body = { error };
  }
}

function missing(id: string): StripeFailure {
  return new StripeFailure(404, { type: 'invalid_request_error', code: 'resource_missing', message: `No such: ${id}` });
}

/** Returns the error of a request that Stripe refuses. */
export function invalid(message: string, code = 'invalid'): StripeFailure {
  return new StripeFailure(400, { type: 'invalid_request_error', code, message });
}

/** Returns the present time in Unix seconds. */
export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Returns a list as the API responds with. */
export const listOf = (data: StripeObject[], url = '/') => ({ object: 'list', has_more: false, url, data });

const linesInInvoice = 10;

/** One account and all of its objects, with ids where others refer to them. */
export class StripeAccount {
  readonly objects = new Map<string, StripeObject>();
  /** What Stripe knows of an object and does not show, by the object's id. */
  readonly hidden = new Map<string, StripeObject>();
  /** The number of following payments that fail. */
  declines = 0;
  /** Whether the search does not find the newest objects, as at Stripe during the first minute. */
  isSearchStale = false;
  /** The tax rate and the reason that Stripe Tax applies to the customers' invoices; null for none. */
  tax: { readonly rate: StripeObject; readonly reason: string } | null = null;
  #last = 0;

  id(prefix: string): string {
    this.#last += 1;
    return `${prefix}_${this.#last}`;
  }

  /** Stores an object. Adds the fields that its type requires. */
  add(object: StripeObject): StripeObject {
    const complete = fill({ created: nowSeconds(), ...object }, typeOfObject(object.object)) as StripeObject;
    if (object.object === 'discount') delete complete.created;
    this.objects.set(complete.id, complete);
    return complete;
  }

  get(id: string): StripeObject {
    const object = this.objects.get(id);
    if (object === undefined) throw missing(id);
    return object;
  }

  all(kind: string): StripeObject[] {
    return [...this.objects.values()].filter((object) => object.object === kind);
  }

  /** Takes one payment. Throws a 402 while payments are declined. */
  pay(): void {
    if (this.declines === 0) return;
    this.declines -= 1;
    throw new StripeFailure(402, { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' });
  }

  /** Sets a tax rate with which Stripe Tax calculates the taxes from now on. */
  setTax(percentage: number, country: string, reason = 'standard_rated'): void {
    const rate = { id: this.id('txr'), object: 'tax_rate', display_name: 'VAT', percentage, country };
    this.tax = { rate: this.add({ ...rate, effective_percentage: percentage, inclusive: false }), reason };
  }

  /** Returns an object as the API responds with it: with the objects that `expand` names in place of their ids. */
  present(object: StripeObject, expand: readonly string[] = []): StripeObject {
    const shown = structuredClone(object);
    for (const path of expand) this.#expand(shown, path.split('.'));
    for (const invoice of shown.object === 'list' ? shown.data : [shown]) {
      if (invoice.object !== 'invoice') continue;
      const { data } = invoice.lines;
      invoice.lines = { ...invoice.lines, data: data.slice(0, linesInInvoice), has_more: data.length > linesInInvoice };
    }
    return shown;
  }

  #expand(holder: StripeObject, [name = '', ...rest]: readonly string[]): void {
    if (holder.object === 'customer' && name === 'tax_ids') {
      holder.tax_ids = listOf(this.all('tax_id').filter(({ customer }) => customer === holder.id));
      return;
    }
    const value = holder[name];
    if (value === null) return;
    if (value === undefined) throw invalid(`This property cannot be expanded (${name}).`);
    const isList = Array.isArray(value);
    holder[name] = isList ? value.map((item: StripeObject) => this.#expanded(item, rest)) : this.#expanded(value, rest);
  }

  #expanded(value: StripeObject, rest: readonly string[]): StripeObject {
    if (typeof value !== 'string' && rest.length === 0) throw invalid('This property cannot be expanded.');
    const object = typeof value === 'string' ? structuredClone(this.get(value)) : value;
    if (rest.length > 0) this.#expand(object, rest);
    return object;
  }
}
