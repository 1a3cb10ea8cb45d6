import type { RouteOptions } from 'fastify';
import { type TObject, Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { sendPage } from '../../../http/hosted-page.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { Nullable } from '../../../http/schema.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { toAppError } from '../../call-provider.ts';
import { PaymentProviderError } from '../../provider.ts';
import { CouponRefusedError } from '../coupons.ts';
import type { FormValues } from './fields.ts';
import { messagePage } from './html.ts';

/** The answer to a form that was performed. */
const Redirect = Type.Object({ redirect_url: Nullable(Type.String({ description: 'Null to reload the page.' })) });

/** The parameters of a path. */
export type Params = Readonly<Record<string, string>>;

/** Returns the schema of the parameters of a path, such as `:id`. */
function paramsOf(url: string) {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, Type.String({ maxLength: 512 })] as const);
  return Type.Object(Object.fromEntries(names));
}

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
  return error.reason === 'not_found' ? invalidLink() : toAppError(error, error.message);
}

/** Defines the route of a page. An invalid link is a 404 with a page of its own. */
export function pageRoute(url: string, show: (params: Params) => Promise<string>): RouteOptions {
  const text = 'The link may have expired. Open it again from the page or mail where you found it.';
  return {
    method: 'GET',
    url,
    schema: { hide: true },
    async handler(request, reply) {
      try {
        return sendPage(reply, await show(request.params as Params));
      } catch (error) {
        if (!(error instanceof AppError && error.status === 404)) throw error;
        return sendPage(reply, messagePage('This link is not valid', text, ''), 404);
      }
    },
  };
}

interface FormRoute {
  readonly summary: string;
  readonly url: string;
  readonly body: TObject;
  /** The schema of the answer; the URL that follows unless given. */
  readonly answer?: TObject;
  /** Performs what the form asks for, and returns the answer. */
  readonly perform: (params: Params, values: FormValues) => Promise<object>;
}

/** Defines a route to which the script of a page sends a form. */
export function formRoute({ summary, url, body, answer = Redirect, perform }: FormRoute): RouteOptions {
  const response = { 200: Envelope(answer) };
  return publicRoute('POST', url, {
    summary,
    tags: ['Payment sandbox'],
    hide: true,
    params: paramsOf(url),
    body,
    response,
    async handler({ request }) {
      try {
        return success(request, await perform(request.params as Params, request.body as FormValues));
      } catch (error) {
        throw toPageError(error);
      }
    },
  });
}
