/**
 * Refunds an invoice. Its steps are commits and responses of the provider. Prints `done` when the refund is finished.
 * Arguments: the ids of the invoice and of the refund, the amount.
 */
import { refundInvoice } from '../../src/features/commerce/billing-admin/refund-service.ts';
import type { Services } from '../../src/services.ts';
import type { Actor } from '../../src/tenancy/tenant.ts';
import { openMortalServices } from './killed-steps.ts';

const { services, payments, counted, args } = await openMortalServices();
const [invoiceId = '', refundId = '', amountText = ''] = args;
const mortal: Services = {
  ...services,
  platform: counted(services.platform, ['transaction']),
  payments: counted(payments, ['findInvoice', 'refundInvoice']),
};
const actor: Actor = { type: 'admin', id: refundId, requestId: null, ip: null };
await refundInvoice(mortal, actor, invoiceId, { id: refundId, amount: Number(amountText), reason: 'Crash' });
await services.close();
process.stdout.write('done');
