import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const portalErrors = {
  'PORTAL.NOT_PERMITTED': explain(
    'The vendor does not offer this action in its portal, or not for this license.',
    'Ask the vendor to do it.',
  ),
  'PORTAL.NOT_FOUND': explain(
    'There is no portal at this address, or it is switched off.',
    'Check the address, or ask the vendor for it.',
  ),
  'PORTAL.HANDLE_TAKEN': explain('Another tenant has this handle.', 'Choose another handle.'),
  'PORTAL.DOMAIN_TAKEN': explain('Another tenant has proved this domain.', 'Choose another domain.'),
  'PORTAL.DOMAIN_NOT_PROVED': explain(
    'The DNS record that proves the domain is missing or different.',
    'Create the record that the settings of the portal show, and check again later.',
  ),
  'PORTAL.SWITCHED_OFF': explain(
    'The portal has no handle or is switched off.',
    'Choose a handle in the settings of the portal and switch it on.',
  ),
  'PORTAL.LOGIN_INVALID': explain(
    'The code or the link of a login to the portal is wrong, was used or has expired, or too many wrong codes were entered.',
    'Request a new mail and use the code or the link in it.',
  ),
  'OFFLINE_REQUEST.INVALID': explain(
    'The file is no request for an offline device, or it is incomplete.',
    'Create the file again in the application, and upload it unchanged.',
  ),
  'OFFLINE_REQUEST.OTHER_PRODUCT': explain(
    'The request for an offline device is of another product than the license.',
    'Choose the license of that product.',
  ),
} satisfies ErrorExplanations;
