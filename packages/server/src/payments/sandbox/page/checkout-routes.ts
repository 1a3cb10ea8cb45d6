import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { isFormRequest } from '../../../http/json-parser.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import type { ErrorDetail } from '../../../lib/error.ts';
import { findOpenCheckout, type OpenCheckout, payCheckout } from '../checkouts.ts';
import { readNow } from '../clock.ts';
import type { SandboxContext } from '../context.ts';
import { CouponRefusedError } from '../coupons.ts';
import { type CheckoutPreview, previewCheckout } from '../previews.ts';
import { buyText, checkoutPage, closedCheckoutPage, summaryOf } from './checkout-page.ts';
import {
  CheckoutFields,
  locationOfForm,
  missingCard,
  missingDetails,
  problemsOfTaxId,
  readCardFields,
  readCoupon,
  readDetails,
} from './form-input.ts';
import { assertNoProblems, formRoute, invalidLink, type Params, pageRoute, pageTags, sendPage } from './form-route.ts';
import type { FormState, FormValues } from './html.ts';

const IdPath = Type.Object({ id: Type.String({ maxLength: 100 }) });

const Preview = Envelope(
  Type.Object({
    summary: Type.String({ description: 'The amounts, as HTML.' }),
    button: Type.String({ description: 'The label of the buy button.' }),
    problems: Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
  }),
);

interface FormPreview {
  readonly preview: CheckoutPreview;
  /** The errors of the coupon and the tax id. */
  readonly problems: readonly ErrorDetail[];
}

/** Returns the cost of a purchase for the values entered so far. A refused coupon has no effect. */
async function previewForm(context: SandboxContext, { terms }: OpenCheckout, values: FormValues): Promise<FormPreview> {
  const { query } = context.platform;
  const at = await readNow(query, context.clock);
  const input = { coupon: readCoupon(values), location: locationOfForm(values) };
  const problems = problemsOfTaxId(values);
  try {
    return { preview: await previewCheckout(query, context, terms, input, at), problems };
  } catch (error) {
    if (!(error instanceof CouponRefusedError)) throw error;
    const preview = await previewCheckout(query, context, terms, { ...input, coupon: null }, at);
    return { preview, problems: [{ field: 'coupon', message: error.message }, ...problems] };
  }
}

/** Registers the page of a checkout, which needs no login, because its URL cannot be guessed. */
export function checkoutRoutes(context: SandboxContext): RouteOptions[] {
  const pathOf = ({ id = '' }: Params) => `/sandbox/checkout/${id}`;

  async function show(params: Params, state: FormState = { values: {}, problems: [] }): Promise<string | undefined> {
    const checkout = await findOpenCheckout(context, params['id'] ?? '');
    if (checkout === undefined) return undefined;
    const { status, terms } = checkout;
    if (status !== 'open') return closedCheckoutPage(status, terms);
    const { preview, problems } = await previewForm(context, checkout, state.values);
    const known = new Set(state.problems.map(({ field }) => field));
    const all = [...state.problems, ...problems.filter(({ field }) => !known.has(field))];
    return checkoutPage({ terms, preview, state: { ...state, problems: all }, path: pathOf(params) });
  }

  async function pay({ id = '' }: Params, values: FormValues): Promise<string> {
    const checkout = await findOpenCheckout(context, id);
    if (checkout === undefined) throw invalidLink();
    const { preview, problems } = await previewForm(context, checkout, values);
    const card = readCardFields(values, await readNow(context.platform.query, context.clock));
    const details = readDetails(values, '');
    const ofDetails = 'problems' in details ? details.problems : problemsOfMissing(context, details.value);
    const ofCard = 'problems' in card ? card.problems : card.value === null && preview.dueToday > 0 ? missingCard : [];
    assertNoProblems([...problems.filter(({ field }) => field === 'coupon'), ...ofDetails, ...ofCard]);
    const [paidBy, recipient] = ['value' in card ? card.value : null, 'value' in details ? details.value : null];
    return await payCheckout(context, id, { card: paidBy, coupon: readCoupon(values), details: recipient });
  }

  return [
    pageRoute('/sandbox/checkout/:id', show),
    formRoute({
      summary: 'Pay a checkout',
      url: '/sandbox/checkout/:id/pay',
      params: IdPath,
      body: CheckoutFields,
      perform: pay,
      show,
      pagePath: pathOf,
    }),
    publicRoute({
      method: 'POST',
      url: '/sandbox/checkout/:id/preview',
      schema: {
        summary: 'Preview the amounts of a checkout',
        tags: pageTags,
        hide: true,
        params: IdPath,
        body: CheckoutFields,
        response: { 200: Preview },
      },
      async handler({ request, reply }) {
        const values: FormValues = request.body;
        if (isFormRequest(request)) {
          const { card_number: _number, cvc: _cvc, ...shown } = values;
          return sendPage(reply, await show(request.params, { values: shown, problems: [] }));
        }
        const checkout = await findOpenCheckout(context, request.params.id);
        if (checkout === undefined) throw invalidLink();
        const { preview, problems } = await previewForm(context, checkout, values);
        const { terms } = checkout;
        return success(request, {
          summary: summaryOf(terms, preview),
          button: buyText(terms, preview),
          problems: problems.map(({ field, message }) => ({ field, message })),
        });
      },
    }),
  ];
}

/** Where taxes apply, they depend on the country. */
function problemsOfMissing({ taxRules }: SandboxContext, details: object | null): readonly ErrorDetail[] {
  const isTaxed = taxRules.sellerCountry !== null && taxRules.rates.size > 0;
  return isTaxed && details === null ? missingDetails : [];
}
