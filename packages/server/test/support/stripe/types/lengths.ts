import type { Form } from '../form.ts';

// The limits of length in Stripe's description of its API (`maxLength`) and in its documentation of metadata
// (https://docs.stripe.com/metadata). The declarations of the library do not have them.

const metadataKeyMax = 40;
const metadataValueMax = 500;

/** The longest texts by the end of the path and the path of the parameter, with `*` for positions in lists. */
const lengthsMax: readonly (readonly [path: RegExp, lengths: Readonly<Record<string, number>>])[] = [
  [/\/balance_transactions$/, { description: 350 }],
  [/\/checkout\/sessions$/, { client_reference_id: 200 }],
  [/\/coupons$/, { name: 40 }],
  [
    /\/customers(\/[^/]+)?$/,
    {
      email: 512,
      name: 256,
      'invoice_settings.custom_fields.*.name': 40,
      'invoice_settings.custom_fields.*.value': 140,
    },
  ],
  [/\/prices$/, { lookup_key: 200 }],
  [/\/promotion_codes$/, { code: 500 }],
];

function valuesOf(form: Form, prefix = ''): [path: string, value: string][] {
  return Object.entries(form).flatMap(([name, value]) => {
    const path = `${prefix}${/^\d+$/.test(name) ? '*' : name}`;
    return typeof value === 'string' ? [[path, value] as [string, string]] : valuesOf(value, `${path}.`);
  });
}

/** Returns the parameters of a request that are too long: one sentence each. */
export function tooLong(pathname: string, form: Form): string[] {
  const lengths = lengthsMax.find(([path]) => path.test(pathname))?.[1] ?? {};
  return valuesOf(form).flatMap(([path, value]) => {
    const [, key] = /(?:^|\.)metadata\.(.+)$/.exec(path) ?? [];
    const max = key === undefined ? (lengths[path] ?? Number.POSITIVE_INFINITY) : metadataValueMax;
    // Stripe counts characters, not units of UTF-16.
    const isTooLong = Array.from(value).length > max || (key?.length ?? 0) > metadataKeyMax;
    return isTooLong ? [`${path} is too long`] : [];
  });
}
