import { newId } from '../../src/lib/ids.ts';
import type { Coupon, CustomerDetails, NewInvoice } from '../../src/payments/provider.ts';

/** Billing details of a business in Austria. */
export const details = {
  name: 'Acme',
  email: 'billing@example.com',
  address: { line1: '1 Main St', line2: null, city: 'Wien', postal_code: '1010', state: null, country: 'AT' },
  taxId: 'ATU13585627',
} satisfies CustomerDetails;

/** Returns a coupon of 12.5 percent with a new code. */
export function newCoupon(fields: Partial<Coupon> = {}): Coupon {
  const code = `SAVE-${newId().toUpperCase()}`;
  const value = { percentOff: 12.5, amountOff: null, currency: null };
  const limits = { expiresAt: null, maxRedemptions: null };
  return { code, name: 'Launch', ...value, duration: 'forever', durationMonths: null, ...limits, ...fields };
}

/** Returns a single invoice over 90 euros with two lines. */
export function newInvoice(fields: Partial<NewInvoice> = {}): NewInvoice {
  const lines = [
    { description: 'Setup', quantity: 2, unitAmount: 5000 },
    { description: 'Goodwill', quantity: 1, unitAmount: -1000 },
  ];
  return { reference: newId(), currency: 'eur', lines, dueInDays: 14, ...fields };
}
