import type { FastifyReply, RouteOptions } from 'fastify';
import type { TObject } from 'typebox';
import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { sendFormPage } from '../../../http/hosted-page.ts';
import { isFormRequest } from '../../../http/json-parser.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { Nullable } from '../../../http/schema.ts';
import { AppError, type ErrorDetail, validationError } from '../../../lib/error.ts';
import { toAppError } from '../../call-provider.ts';
import { PaymentProviderError } from '../../provider.ts';
import { CouponRefusedError } from '../coupons.ts';
import { notFoundPage } from './checkout-page.ts';
import type { Reading } from './form-input.ts';
import type { FormState, FormValues } from './html.ts';

export const pageTags = ['Payment sandbox'] as const;

const Redirect = Envelope(
  Type.Object({ redirect_url: Nullable(Type.String({ description: 'Null to reload the page.' })) }),
);

/** The parameters of a path. */
export type Params = Readonly<Record<string, string>>;

/** Returns the error of a link that leads nowhere. */
export function invalidLink(): AppError {
  return new AppError(
    'RESOURCE.NOT_FOUND',
    'This link is not valid or has expired. Open it again from the page or mail that you got it from.',
  );
}

/** Converts an error of the sandbox to the error of the API. Returns any other error unchanged. */
function toPageError(error: unknown): unknown {
  if (error instanceof CouponRefusedError) return validationError({ field: 'coupon', message: error.message });
  if (!(error instanceof PaymentProviderError)) return error;
  if (error.reason === 'not_found') return invalidLink();
  return toAppError(error, error.message);
}

/** Returns the value of a reading. Throws 422 with the problems of its fields. */
export function requireValue<Value>(reading: Reading<Value>): Value {
  if ('problems' in reading) throw validationError(...reading.problems);
  return reading.value;
}

/** Throws 422 for problems of fields, if there are any. */
export function assertNoProblems(problems: readonly ErrorDetail[]): void {
  if (problems.length > 0) throw validationError(...problems);
}

/** Sends a page; without one, the page for an unknown link. */
export function sendPage(reply: FastifyReply, page: string | undefined, status = 200) {
  return page === undefined ? sendFormPage(reply, notFoundPage(), 404) : sendFormPage(reply, page, status);
}

/** Defines the route of a page. */
export function pageRoute(url: string, show: (params: Params) => Promise<string | undefined>): RouteOptions {
  return {
    method: 'GET',
    url,
    schema: { hide: true },
    handler: async (request, reply) => sendPage(reply, await show(request.params as Params)),
  };
}

interface FormRoute {
  readonly summary: string;
  readonly url: string;
  readonly params: TObject;
  readonly body: TObject;
  /** Performs what the form asks for. Returns the URL that follows; null to reload the page. */
  readonly perform: (params: Params, values: FormValues) => Promise<string | null>;
  /** Returns the page with its problems; undefined for an unknown link. */
  readonly show: (params: Params, state: FormState) => Promise<string | undefined>;
  /** The path of the page, which a browser without scripts opens after success. */
  readonly pagePath: (params: Params) => string;
}

/** A page never shows a card again. */
function shownValues({ card_number: _number, cvc: _cvc, ...values }: FormValues): FormValues {
  return values;
}

/** Returns what a page shows after a form failed. */
function stateAfter(error: AppError, values: FormValues): FormState {
  const shown = shownValues(values);
  return error.details === undefined
    ? { values: shown, problems: [], failure: error.message }
    : { values: shown, problems: error.details };
}

/**
 * Defines the route to which a form of a page posts. The script of the page sends JSON and gets JSON. A browser without
 * it sends a form, and gets the page with the errors, or is redirected.
 */
export function formRoute(route: FormRoute): RouteOptions {
  const { summary, url, params, body, perform, show, pagePath } = route;
  return publicRoute({
    method: 'POST',
    url,
    schema: { summary, tags: pageTags, hide: true, params, body, response: { 200: Redirect } },
    async handler({ request, reply }) {
      const [path, values] = [request.params as Params, request.body as FormValues];
      try {
        const redirect_url = await perform(path, values);
        return isFormRequest(request) ? reply.redirect(pagePath(path), 303) : success(request, { redirect_url });
      } catch (thrown) {
        const error = toPageError(thrown);
        if (!isFormRequest(request) || !(error instanceof AppError)) throw error;
        return sendPage(reply, await show(path, stateAfter(error, values)), error.status);
      }
    },
  });
}
