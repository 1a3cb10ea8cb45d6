import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const licenseErrors = {
  'LICENSE.NOT_FOUND': explain('There is no such license.', 'Check the id or the key of the license.'),
  'LICENSE.KEY_TAKEN': explain('Another license has this key.', 'Choose another key.'),
  'LICENSE.ORDER_NUMBER_TAKEN': explain('Another license has this order number.', 'Choose another order number.'),
  'LICENSE.TRANSITION_INVALID': explain(
    'The status of the license does not permit this action; a revoked license stays revoked.',
    'Read the license, and choose an action that its status permits.',
  ),
  'LICENSE.RENEWAL_IN_PAST': explain('The license would still be expired.', 'Renew it for longer, or set its end.'),
  'LICENSE.REVOKED': explain('The license was revoked permanently.', 'Issue another license.'),
  'LICENSE.SUSPENDED': explain('The license is suspended.', 'Ask its vendor to reinstate it.'),
  'LICENSE.NOT_STARTED': explain('The license starts later: see `starts_at`.', 'Wait, or change its start.'),
  'LICENSE.EXPIRED': explain('The license has expired: see `expires_at`.', 'Renew the license.'),
  'LICENSE.PRODUCT_MISMATCH': explain(
    'The license is for another product.',
    'Use a license of this product, or correct the `product` of the request.',
  ),
  'LICENSE.MAINTENANCE_EXPIRED': explain(
    'The version was released after the maintenance of the license expired.',
    'Renew the license, or use an older version.',
  ),
  'IMPORT.REJECTED': explain(
    'Rows of the file are not valid, so nothing was imported; `details` names them.',
    'Correct the rows, or import with `partial=true`.',
  ),
} satisfies ErrorExplanations;
