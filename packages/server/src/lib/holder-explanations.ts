import { explain } from './error-explanation.ts';

/** The explanations of the codes about license holders: mails, the portal, customers and trials. */
export const holderExplanations = {
  'PORTAL.NOT_PERMITTED': explain(
    'The vendor does not offer this action in its portal, or not for this license.',
    'Ask the vendor to do it.',
  ),
  'CUSTOMER.NOT_FOUND': explain(
    'No license has this email address.',
    'Check the address, or search the list of customers.',
  ),
  'CUSTOMER_NOTE.NOT_FOUND': explain(
    'The note about the customer does not exist.',
    'List the notes of the customer to see which ones do.',
  ),
  'PORTAL.NOT_FOUND': explain(
    'There is no portal at this address, or it is switched off.',
    'Check the address, or ask the vendor for it.',
  ),
  'TRIAL.NOT_OFFERED': explain(
    'The product offers no trials without a key.',
    'Choose a trial policy in the product, or ask the user for a license key.',
  ),
  'LICENSE.HOLDER_EMAIL_MISSING': explain(
    'The license has no email address of a customer for the mail or the link.',
    "Enter the customer's address first.",
  ),
  'PORTAL.HANDLE_TAKEN': explain('Another tenant has this handle.', 'Choose another handle.'),
  'PORTAL.SWITCHED_OFF': explain(
    'The portal has no handle or is switched off.',
    'Choose a handle in the settings of the portal and switch it on.',
  ),
  'MAIL.NOT_REPEATABLE': explain(
    'The mail still waits, or its code or link works only once.',
    'Wait for the next attempt, or let the customer ask for a new mail.',
  ),
  'MAIL.NOT_ACCEPTED': explain(
    'The mail server did not accept the mail. The message has its words.',
    'Check the server, its user, its password and the addresses, and try again.',
  ),
  'TRIAL.EMAIL_REQUIRED': explain(
    'The trial needs an email address.',
    'Ask the user for an address and send it as `email`.',
  ),
  'TRIAL.CODE_INVALID': explain(
    'The code of a trial is wrong or has expired.',
    'Check it against the mail, or start the trial again for a new code.',
  ),
  'PORTAL.LOGIN_INVALID': explain(
    'The code or the link of a login to the portal is wrong, was used or has expired, or too many wrong codes were entered.',
    'Request a new mail and use the code or the link in it.',
  ),
  'TRIAL.LIMIT_REACHED': explain(
    'Too many trials were started today, by the tenant or from one network.',
    'Wait as long as `Retry-After` says, or use a license key; the vendor can raise the limits in the settings.',
  ),
} as const;
