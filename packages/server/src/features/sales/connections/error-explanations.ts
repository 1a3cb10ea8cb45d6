import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const connectionErrors = {
  'SALES.NO_API': explain(
    "The connection has no key of the shop's API, or the shop has no API.",
    'Enter an API key in the connection.',
  ),
  'SALES.KEY_REFUSED': explain(
    'The shop refused the API key, or the key lacks a permission.',
    'Create a key with the permissions that the guide lists, and enter it in the connection.',
  ),
  'SALES.SHOP_UNAVAILABLE': explain(
    'The shop did not answer, or it asked for a pause.',
    'Send the request again after the time in `Retry-After`.',
  ),
} satisfies ErrorExplanations;
