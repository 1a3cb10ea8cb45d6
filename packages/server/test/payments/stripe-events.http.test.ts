import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { billingSyncKind } from '../../src/features/commerce/billing/enqueue.ts';
import { onboardingKind } from '../../src/features/commerce/onboarding/payment-service.ts';
import { newId } from '../../src/lib/ids.ts';
import { useApp, useClock } from '../support/harness.ts';
import { stripeSecretKey } from '../support/stripe/server.ts';

const webhookSecret = 'whsec_0123456789abcdef';
const suite = useApp({
  PAYMENT_PROVIDER: 'stripe',
  STRIPE_SECRET_KEY: stripeSecretKey,
  STRIPE_WEBHOOK_SECRET: webhookSecret,
});
useClock();

const { webhooks } = new Stripe(stripeSecretKey);

function bodyOf(type: string, object: object, fields: object = {}): string {
  const event = { id: `evt_${newId()}`, object: 'event', type, created: 1_795_000_000, livemode: false };
  return JSON.stringify({ ...event, data: { object }, ...fields });
}

/** Returns the headers of an event, signed by the helper of Stripe's library. */
function sign(payload: string, secret = webhookSecret, ageSeconds = 0): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  return { 'stripe-signature': webhooks.generateTestHeaderString({ payload, secret, timestamp }) };
}

const post = (payload: string, headers: Record<string, string>) =>
  suite.app.request({
    method: 'POST',
    url: '/webhooks/stripe',
    payload,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  });

const events = () => suite.app.services.platform.query.selectFrom('payment_events').selectAll().execute();

async function jobsOf(subjectId: string): Promise<string[]> {
  const jobs = suite.app.services.platform.query.selectFrom('jobs').select('kind').where('subject_id', '=', subjectId);
  return (await jobs.execute()).map(({ kind }) => kind).toSorted();
}

const metadataOf = (reference: string) => ({ licensing_reference: reference });

describe('an event of Stripe', () => {
  const both = [[billingSyncKind], [onboardingKind]];
  test.each<[string, (subscription: string, reference: string) => object, string[][]]>([
    [
      'checkout.session.completed',
      (subscription, reference) => ({ id: 'cs_1', subscription, client_reference_id: reference }),
      both,
    ],
    ['customer.subscription.updated', (id, reference) => ({ id, metadata: metadataOf(reference) }), both],
    [
      'invoice.paid',
      (subscription, reference) => ({
        id: 'in_1',
        parent: { subscription_details: { subscription, metadata: metadataOf(reference) } },
      }),
      both,
    ],
    ['invoice.payment_failed', (subscription) => ({ id: 'in_1', subscription }), [[billingSyncKind], []]],
    ['subscription_schedule.released', (subscription) => ({ id: 's', subscription }), [[billingSyncKind], []]],
    ['checkout.session.expired', (_, reference) => ({ client_reference_id: reference }), [[], [onboardingKind]]],
    ['charge.refunded', (subscription) => ({ id: 'ch_1', subscription }), [[], []]],
    ['invoice.paid', () => ({ id: 'in_1', parent: null }), [[], []]],
  ])('the Stripe event %s enqueues its work', async (type, objectOf, [ofSubscription, ofCheckout]) => {
    const [subscription, reference] = [`sub_${newId()}`, newId()];
    const body = bodyOf(type, objectOf(subscription, reference));
    expect((await post(body, sign(body))).status).toBe(200);
    expect([await jobsOf(subscription), await jobsOf(reference)]).toEqual([ofSubscription, ofCheckout]);
  });

  test('a Stripe event of a connected account has no effect', async () => {
    const body = bodyOf('customer.subscription.updated', { id: 'sub_foreign' }, { account: 'acct_1' });
    expect((await post(body, sign(body))).status).toBe(200);
    expect(await jobsOf('sub_foreign')).toEqual([]);
  });

  const body = bodyOf('customer.subscription.updated', { id: 'sub_rejected' });
  test.each<[string, string, () => Record<string, string>]>([
    ['unsigned', body, () => ({})],
    ['signed with another secret', body, () => sign(body, 'whsec_another')],
    ['altered', body.replace('rejected', 'accepted'), () => sign(body)],
    ['older than 300 s', body, () => sign(body, webhookSecret, 301)],
    ['more than 300 s ahead', body, () => sign(body, webhookSecret, -301)],
    ['not JSON', '{', () => sign('{')],
    ['null', 'null', () => sign('null')],
  ])('a Stripe event that is %s is refused and has no effect', async (_name, payload, headersOf) => {
    const before = await events();
    const answer = await post(payload, headersOf());
    expect([answer.status, answer.body.error.code]).toEqual([400, 'PAYMENT.EVENT_REJECTED']);
    expect(await events()).toEqual(before);
  });

  test('a Stripe event of the other mode is refused despite a valid signature', async () => {
    const live = bodyOf('customer.subscription.updated', { id: 'sub_live' }, { livemode: true });
    expect((await post(live, sign(live))).status).toBe(400);
    expect(await jobsOf('sub_live')).toEqual([]);
  });

  test('a Stripe event with two signatures is accepted by either secret during a rotation', async () => {
    const fresh = bodyOf('customer.subscription.updated', { id: `sub_${newId()}` });
    const [one, other] = [sign(fresh, 'whsec_old'), sign(fresh)].map((headers) => headers['stripe-signature']);
    const [, foreign] = one?.split(',') ?? [];
    expect((await post(fresh, { 'stripe-signature': `${other},${foreign}` })).status).toBe(200);
  });
});
