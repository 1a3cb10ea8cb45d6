import type { LicenseCheck } from '../../api/licenses.ts';

/** What a result means, and what the vendor can do about it. */
interface CheckWords {
  readonly meaning: string;
  /** Only for a refusal. */
  readonly help?: string;
}

const known: Readonly<Record<string, CheckWords>> = {
  'LICENSE.VALID': { meaning: 'The license is valid.' },
  'LICENSE.IN_GRACE': { meaning: 'The license has expired and is in its grace period.' },
  'LICENSE.EXPIRED': { meaning: 'The license has expired.', help: 'Renew the license.' },
  'LICENSE.REVOKED': { meaning: 'The license was revoked.', help: 'Issue another license.' },
  'LICENSE.SUSPENDED': { meaning: 'The license is suspended.', help: 'Reinstate the license.' },
  'LICENSE.NOT_STARTED': { meaning: 'The license has not started yet.', help: 'Change its start with “Edit license”.' },
  'LICENSE.PRODUCT_MISMATCH': {
    meaning: 'The application asked for another product.',
    help: 'Give the customer a license of that product.',
  },
  'LICENSE.MAINTENANCE_EXPIRED': {
    meaning: 'The version was released after the maintenance ended.',
    help: 'Renew the license, or give the customer an older version.',
  },
  'ACTIVATION.CREATED': { meaning: 'The device is activated.' },
  'ACTIVATION.LIMIT_REACHED': {
    meaning: 'All devices of the license are in use.',
    help: 'Allow one more device, or release one that is no longer used.',
  },
  'ACTIVATION.LIMIT_EXCEEDED': {
    meaning: 'More devices are in use than the license has.',
    help: 'Allow more devices, or release some.',
  },
  'ACTIVATION.NOT_FOUND': {
    meaning: 'The device is not activated.',
    help: 'The application must activate it first, or you activate it here.',
  },
  'ACTIVATION.LEASE_EXPIRED': {
    meaning: 'The lease of the device ended without a heartbeat.',
    help: 'The application must activate the device again.',
  },
  'ACTIVATION.FINGERPRINT_REQUIRED': {
    meaning: 'The application did not say which device it runs on.',
    help: 'The application must send a fingerprint, because the policy requires that each device is activated.',
  },
  'ENTITLEMENT.NOT_GRANTED': {
    meaning: 'The license does not grant what the application asked for.',
    help: 'Grant the entitlement with “Edit license”, or change its policy.',
  },
  'PLAN.LIMIT_REACHED': {
    meaning: 'Your plan allows no more active devices.',
    help: 'Upgrade your plan, or release devices.',
  },
};

/** Returns what the result of a check means. A later version of the service may have codes that are unknown here. */
export function checkWords({ code, is_allowed }: Pick<LicenseCheck, 'code' | 'is_allowed'>): CheckWords {
  const { meaning, help } = known[code] ?? { meaning: 'The device was refused.', help: 'See the code.' };
  return is_allowed || help === undefined ? { meaning } : { meaning, help };
}
