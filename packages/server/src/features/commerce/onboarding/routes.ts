import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type UserRoute, userRoute } from '../../../http/routes/user-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { userCreatingRoute } from '../../tenant-core/idempotency/user-creating-route.ts';
import { PublicPlan } from '../plans/schemas.ts';
import { presentCheckout } from './checkout.ts';
import { listOwnCheckouts } from './queries.ts';
import { Checkout, CheckoutsQuery, StartCheckout } from './schemas.ts';
import { cancelCheckout, completeOnboardingCheckout, readCheckout, readPlansFor, startCheckout } from './service.ts';

const tags = ['Onboarding'] as const;

/** Registers the routes on which a user with a verified email address buys a plan and gets a tenant. */
export function onboardingRoutes(services: Services): UserRoute[] {
  return [
    userCreatingRoute(services, '/onboarding/checkout', {
      verifiedEmail: true,
      onRequest: throttle(services.rateLimits, { name: 'onboarding-checkout', attempts: 10, minutes: 10 }),
      operationId: 'startCheckout',
      summary: 'Start the checkout of a plan with a new tenant',
      tags,
      errors: ['ONBOARDING.NO_PROVIDER', 'ONBOARDING.TOO_MANY_OPEN', 'ONBOARDING.TOO_MANY_FREE', 'RATE_LIMIT.EXCEEDED'],
      description:
        'The service creates the tenant after the payment at `checkout_url`, or at once for a free plan. ' +
        '`interval` defaults to `month` if the plan is sold by the month; `currency` may be omitted if the ' +
        'interval has one currency. The checkout keeps its price, even if the plan changes before the payment. A ' +
        'user has at most five open checkouts, and as many tenants on free plans as the operator permits.',
      body: StartCheckout,
      response: { 201: Envelope(Checkout) },
      async create({ request, user, actor }, id) {
        const row = await startCheckout(services, { id, user, actor, input: request.body });
        return { status: 201, data: presentCheckout(row) };
      },
    }),
    userRoute('GET', '/onboarding/plans', {
      operationId: 'listPlansForYou',
      summary: 'List the plans with your trials',
      tags,
      response: { 200: PageEnvelope(PublicPlan) },
      async handler({ request, user }) {
        return successPage(request, { rows: await readPlansFor(services, user.id), nextCursor: null });
      },
    }),
    userRoute('GET', '/onboarding', {
      verifiedEmail: true,
      operationId: 'listCheckouts',
      summary: 'List your checkouts',
      tags,
      querystring: CheckoutsQuery,
      response: { 200: PageEnvelope(Checkout) },
      async handler({ request, user }) {
        const page = toPage(await listOwnCheckouts(services.platform, user.id, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentCheckout) });
      },
    }),
    userRoute('GET', '/onboarding/:id', {
      verifiedEmail: true,
      operationId: 'getCheckout',
      summary: 'Read a checkout and the progress of its tenant',
      tags,
      params: IdParams,
      response: { 200: Envelope(Checkout) },
      async handler({ request, user }) {
        return success(request, presentCheckout(await readCheckout(services, user, request.params.id)));
      },
    }),
    userRoute('POST', '/onboarding/:id/complete', {
      verifiedEmail: true,
      onRequest: throttle(services.rateLimits, { name: 'onboarding-complete', attempts: 60, minutes: 1 }),
      operationId: 'completeCheckout',
      summary: 'Provision the tenant of a paid checkout',
      tags,
      errors: ['ONBOARDING.NO_PROVIDER', 'ONBOARDING.TRANSITION_INVALID', 'RATE_LIMIT.EXCEEDED'],
      description:
        "Reads the payment at the provider, whether or not the provider's event has arrived, and returns the " +
        'checkout. Repeat the request, or read the checkout, until its status is `completed`. Repeated requests ' +
        'create one tenant.',
      params: IdParams,
      response: { 200: Envelope(Checkout) },
      async handler({ request, user }) {
        return success(request, presentCheckout(await completeOnboardingCheckout(services, user, request.params.id)));
      },
    }),
    userRoute('POST', '/onboarding/:id/cancel', {
      verifiedEmail: true,
      onRequest: throttle(services.rateLimits, { name: 'onboarding-cancel', attempts: 20, minutes: 1 }),
      operationId: 'cancelCheckout',
      summary: 'Cancel an unpaid checkout',
      tags,
      errors: ['ONBOARDING.NO_PROVIDER', 'ONBOARDING.TRANSITION_INVALID', 'RATE_LIMIT.EXCEEDED'],
      description:
        'A canceled checkout cannot be paid. A checkout that is paid or over gets 409 ' +
        '`ONBOARDING.TRANSITION_INVALID`.',
      params: IdParams,
      response: { 200: Envelope(Checkout) },
      async handler({ request, user, actor }) {
        return success(request, presentCheckout(await cancelCheckout(services, user, actor, request.params.id)));
      },
    }),
  ];
}
