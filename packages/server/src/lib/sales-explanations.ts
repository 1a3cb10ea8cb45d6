import { explain } from './error-explanation.ts';

/** The explanations of the codes about connections to shops. */
export const salesExplanations = {
  'SALES.SIGNATURE_INVALID': explain(
    'A message to the address of a connection is unsigned, too old, or its signature is wrong.',
    'Copy the signing secret of the shop into the connection, and check the clocks.',
  ),
  'SALES.OFFER_TAKEN': explain(
    'The connection has another offer for this item of the shop.',
    'Change the other offer, or choose another item.',
  ),
  'SALES.COMPARISON_RUNNING': explain('A comparison of this connection is running.', 'Wait until it has ended.'),
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
} as const;
