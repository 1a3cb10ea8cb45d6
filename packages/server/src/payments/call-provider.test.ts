import { describe, expect, test } from 'vitest';
import { callProvider } from './call-provider.ts';
import { PaymentProviderError } from './provider.ts';
import { stripeAmount } from './stripe/context.ts';

const fail = (error: PaymentProviderError) => callProvider(() => Promise.reject(error));

describe('callProvider', () => {
  test('the API says why the service itself refuses an amount', async () => {
    const call = callProvider(async () => stripeAmount(1234, 'kwd'));
    await expect(call).rejects.toMatchObject({
      code: 'BILLING.REFUSED',
      message: expect.stringContaining('divisible by 10 minor units; 1234 is not'),
    });
  });

  test('the text of a converted error of the provider stays in the log', async () => {
    const converted = new PaymentProviderError('refused', 'Request req_1 was refused.', { cause: new Error('secret') });
    await expect(fail(converted)).rejects.toMatchObject({ message: expect.not.stringContaining('req_1') });
    await expect(fail(new PaymentProviderError('declined', 'Internal.'))).rejects.toMatchObject({
      code: 'BILLING.PAYMENT_FAILED',
      message: expect.not.stringContaining('Internal'),
    });
  });
});
