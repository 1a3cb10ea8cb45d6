import { loadModule, readCode, type Scoped } from './declarations.ts';

/** A request that the library can send, with the types of its parameters and of its response. */
export interface Operation {
  readonly method: string;
  readonly path: RegExp;
  readonly params: Scoped | null;
  readonly result: Scoped;
}

const files = [
  'BillingPortal/Sessions',
  'Checkout/Sessions',
  'Coupons',
  'CreditNotes',
  'Customers',
  'InvoiceItems',
  'Invoices',
  'Prices',
  'Products',
  'PromotionCodes',
  'SubscriptionSchedules',
  'Subscriptions',
  'TaxRates',
];

/** Returns what a promise of a result is for: `Promise<Response<T>>`, `ApiListPromise<T>` or `ApiSearchResultPromise<T>`. */
function payloadOf({ type, scope }: Scoped): Scoped {
  if (type.kind !== 'reference') return { type, scope };
  const [name, [argument]] = [type.path.join('.'), type.args];
  if (argument === undefined) return { type, scope };
  if (name === 'Promise' || name === 'Response') return payloadOf({ type: argument, scope });
  const lists: Readonly<Record<string, string>> = {
    ApiListPromise: 'ApiList',
    ApiSearchResultPromise: 'ApiSearchResult',
  };
  const list = lists[name];
  if (list === undefined) return { type, scope };
  const inLibrary = { ...scope, imports: new Map([...scope.imports, [list, { file: 'lib', name: list }]]) };
  return { type: { kind: 'reference', path: [list], args: [argument] }, scope: inLibrary };
}

function operationsOf(file: string): Operation[] {
  const scope = loadModule(`resources/${file}`);
  const request = /^ {4}(\w+)\([^)]*\) \{\s+return this\._makeRequest\('(\w+)', (?:'([^']+)'|`([^`]+)`)/gm;
  const operations: Operation[] = [];
  for (const [, name = '', method = '', plain, template] of readCode(`resources/${file}`).matchAll(request)) {
    const declared = scope.methods.get(name);
    if (declared?.result == null) throw new Error(`Stripe's library does not declare ${file}.${name}.`);
    const path = (plain ?? template ?? '').replace(/\$\{[^}]*\}/g, '[^/]+').replaceAll('.', '\\.');
    operations.push({
      method,
      path: new RegExp(`^${path}$`),
      params: declared.params && { type: declared.params, scope },
      result: payloadOf({ type: declared.result, scope }),
    });
  }
  if (operations.length === 0) throw new Error(`No requests were found in ${file}: the library's code has changed.`);
  return operations;
}

// A path without an id is more specific than one with: `/v1/customers/search` is no customer.
const operations = files
  .flatMap(operationsOf)
  .toSorted((one, other) => Number(one.path.source.includes('[^/]+')) - Number(other.path.source.includes('[^/]+')));

/** Returns the operation of a request; undefined when Stripe has none that this library knows. */
export function findOperation(method: string, path: string): Operation | undefined {
  return operations.find((operation) => operation.method === method && operation.path.test(path));
}
