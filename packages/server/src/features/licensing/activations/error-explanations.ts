import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const activationErrors = {
  'ACTIVATION.NOT_FOUND': explain('The device is not activated, or was released.', 'Activate the device again.'),
  'ACTIVATION.FINGERPRINT_REQUIRED': explain(
    'The license must be activated per device, and the request names none.',
    'Send the `fingerprint` of the device.',
  ),
  'ACTIVATION.LEASE_EXPIRED': explain(
    'The lease of the device ended without a heartbeat.',
    'Activate the device again.',
  ),
  'ACTIVATION.LIMIT_EXCEEDED': explain(
    'More devices are activated than the license allows.',
    'Release devices, which is always possible while they are refused, or raise `max_activations`.',
  ),
  'ACTIVATION.LIMIT_REACHED': explain(
    'All devices of the license are in use.',
    'List the devices with `listLicenseActivations` and release one, or raise `max_activations`.',
  ),
  'ACTIVATION.DEACTIVATION_LIMIT_REACHED': explain(
    'The policy allows no more releases: see `max_deactivations`.',
    'Ask the vendor to release the device.',
  ),
} satisfies ErrorExplanations;
