import type { TestApp } from '../support/harness.ts';

/** Stores an event of the sandbox about an unknown subscription. */
export async function insertPaymentEvent({ services }: TestApp, id: string): Promise<void> {
  const { clock, platform } = services;
  const at = clock.now();
  const stamps = { created_at: at, received_at: at, replayed_at: null };
  const subject = { provider_subscription_id: 'sub_nobody', checkout_reference: null };
  const event = { provider: 'sandbox' as const, provider_event_id: `evt_${id}`, type: 'invoice.paid' };
  await platform.query
    .insertInto('payment_events')
    .values({ id, ...event, ...subject, ...stamps })
    .execute();
}
