import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { presentCheckout } from './checkout.ts';
import { listOwnCheckouts } from './queries.ts';
import { Checkout, CheckoutsQuery, StartCheckout } from './schemas.ts';
import { cancelCheckout, completeOnboardingCheckout, readCheckout, startCheckout } from './service.ts';

const tags = ['Onboarding'] as const;

/** How a user with a verified address comes to a tenant of their own. */
export function onboardingRoutes(services: Services): UserRoute[] {
  return [
    userRoute({
      method: 'POST',
      url: '/onboarding/checkout',
      verifiedEmail: true,
      onRequest: throttle(services.rateLimits, { name: 'onboarding-checkout', attempts: 10, minutes: 10 }),
      schema: {
        summary: 'Begin to buy a plan, and with it a tenant',
        tags,
        description:
          'Pay at `checkout_url`, and the tenant is made; a plan that costs nothing is made at once. `interval` and ' +
          '`currency` may be left out where the plan leaves no choice (`month` goes before `year`). What the checkout ' +
          'says holds, even if the plan changes before it is paid. 409 `ONBOARDING.TOO_MANY_OPEN` while five are open.',
        body: StartCheckout,
        response: { 201: Envelope(Checkout) },
      },
      async handler({ request, reply, user, actor }) {
        const row = await startCheckout(services, user, actor, request.body);
        reply.status(201);
        return success(request, presentCheckout(row));
      },
    }),
    userRoute({
      method: 'GET',
      url: '/onboarding',
      verifiedEmail: true,
      schema: {
        summary: 'List your checkouts',
        tags,
        querystring: CheckoutsQuery,
        response: { 200: PageEnvelope(Checkout) },
      },
      async handler({ request, user }) {
        const page = toPage(await listOwnCheckouts(services.platform, user.id, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentCheckout) });
      },
    }),
    userRoute({
      method: 'GET',
      url: '/onboarding/:id',
      verifiedEmail: true,
      schema: {
        summary: 'Read a checkout and how far its tenant has come',
        tags,
        params: IdParams,
        response: { 200: Envelope(Checkout) },
      },
      async handler({ request, user }) {
        return success(request, presentCheckout(await readCheckout(services, user, request.params.id)));
      },
    }),
    userRoute({
      method: 'POST',
      url: '/onboarding/:id/complete',
      verifiedEmail: true,
      onRequest: throttle(services.rateLimits, { name: 'onboarding-complete', attempts: 60, minutes: 1 }),
      schema: {
        summary: 'Have the tenant made, if the checkout is paid',
        tags,
        description:
          'Asks the payment provider, and answers the state, whether or not its event has come. Repeat it, or read the ' +
          'checkout, until it is `completed`. However often it is sent, one tenant is made.',
        params: IdParams,
        response: { 200: Envelope(Checkout) },
      },
      async handler({ request, user }) {
        return success(request, presentCheckout(await completeOnboardingCheckout(services, user, request.params.id)));
      },
    }),
    userRoute({
      method: 'POST',
      url: '/onboarding/:id/cancel',
      verifiedEmail: true,
      onRequest: throttle(services.rateLimits, { name: 'onboarding-cancel', attempts: 20, minutes: 1 }),
      schema: {
        summary: 'End a checkout that is not paid',
        tags,
        description: 'It cannot be paid any more. 409 `ONBOARDING.TRANSITION_INVALID` once it was paid or is over.',
        params: IdParams,
        response: { 200: Envelope(Checkout) },
      },
      async handler({ request, user, actor }) {
        return success(request, presentCheckout(await cancelCheckout(services, user, actor, request.params.id)));
      },
    }),
  ];
}
