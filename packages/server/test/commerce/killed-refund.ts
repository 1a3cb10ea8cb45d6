/**
 * Refunds an invoice in a separate process, and kills it with SIGKILL after the given number of external steps: commits
 * and responses of the provider. Prints `done` when the refund is finished. Arguments: steps, time, the ids of the
 * invoice and of the refund, the amount.
 */
import { pino } from 'pino';
import { openServices } from '../../src/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { refundInvoice } from '../../src/features/commerce/billing-admin/refund-service.ts';
import type { Services } from '../../src/services.ts';
import type { Actor } from '../../src/tenancy/tenant.ts';
import { killAfterSteps } from './killed-steps.ts';

const [stepsText = '', nowText = '', invoiceId = '', refundId = '', amountText = ''] = process.argv.slice(2);
const counted = killAfterSteps(Number(stepsText));
const startedAtMs = performance.now();
Date.now = () => Number(nowText) + (performance.now() - startedAtMs);

const services = await openServices(loadConfig(process.env), { logger: pino({ level: 'silent' }) });
const { payments } = services;
if (payments === null) throw new Error('Start this program with PAYMENT_PROVIDER=sandbox.');
const mortal: Services = {
  ...services,
  platform: counted(services.platform, ['transaction']),
  payments: counted(payments, ['findInvoice', 'refundInvoice']),
};
const actor: Actor = { type: 'admin', id: refundId, requestId: null, ip: null };
await refundInvoice(mortal, actor, invoiceId, { id: refundId, amount: Number(amountText), reason: 'Crash' });
await services.close();
process.stdout.write('done');
