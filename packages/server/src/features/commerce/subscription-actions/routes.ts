import { Envelope, success } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { AdminSubscription } from '../subscriptions/schemas.ts';
import { presentAdminSubscription } from '../subscriptions/subscription.ts';
import { ApplyCoupon, CancelSubscription, ChangeSubscriptionPlan, ExtendTrial } from './schemas.ts';
import { applyCoupon, cancelSubscription, changeSubscriptionPlan, extendTrial, resumeSubscription } from './service.ts';

const tags = ['Subscriptions'] as const;
const errors = ['BILLING.NO_PROVIDER', 'BILLING.REFUSED', 'SUBSCRIPTION.TRANSITION_INVALID'] as const;
const one = '/subscriptions/:id';
const response = { 200: Envelope(AdminSubscription) };

/** Registers the routes on which admins change subscriptions. The billing guard permits them. */
export function subscriptionActionRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('POST', `${one}/cancel`, {
      area: 'billing',
      operationId: 'adminCancelSubscription',
      summary: 'Cancel a subscription now or at the end of its period',
      tags,
      description: 'The tenant then has the plan `free`. A repeated request has no further effect.',
      errors,
      params: IdParams,
      body: CancelSubscription,
      response,
      async handler({ request, actor }) {
        const row = await cancelSubscription(services, actor, request.params.id, request.body);
        return success(request, presentAdminSubscription(row));
      },
    }),
    adminRoute('POST', `${one}/resume`, {
      area: 'billing',
      operationId: 'adminResumeSubscription',
      summary: 'Withdraw the cancellation of a subscription',
      tags,
      description: 'A repeated request has no further effect. A subscription that has ended cannot be resumed.',
      errors,
      params: IdParams,
      response,
      async handler({ request, actor }) {
        return success(request, presentAdminSubscription(await resumeSubscription(services, actor, request.params.id)));
      },
    }),
    adminRoute('POST', `${one}/change-plan`, {
      area: 'billing',
      operationId: 'adminChangeSubscriptionPlan',
      summary: 'Change the plan of a subscription now',
      tags,
      description:
        'If the charge fails, the response is 402 `BILLING.PAYMENT_FAILED` and nothing changes. The present plan ' +
        'withdraws a pending change and a requested cancellation. A repeated request charges once.',
      errors: ['BILLING.PAYMENT_FAILED', ...errors],
      params: IdParams,
      body: ChangeSubscriptionPlan,
      response,
      async handler({ request, actor }) {
        const row = await changeSubscriptionPlan(services, actor, request.params.id, request.body);
        return success(request, presentAdminSubscription(row));
      },
    }),
    adminRoute('POST', `${one}/extend-trial`, {
      area: 'billing',
      operationId: 'adminExtendTrial',
      summary: 'Move the end of a trial to a later time',
      tags,
      description: 'The owners are reminded again 3 days before the new end.',
      errors,
      params: IdParams,
      body: ExtendTrial,
      response,
      async handler({ request, actor }) {
        const row = await extendTrial(services, actor, request.params.id, request.body);
        return success(request, presentAdminSubscription(row));
      },
    }),
    adminRoute('POST', `${one}/apply-coupon`, {
      area: 'billing',
      operationId: 'adminApplyCoupon',
      summary: 'Redeem a coupon for a subscription',
      tags,
      description: 'It replaces the present discount. The coupon of the present discount has no further effect.',
      errors: ['COUPON.NOT_REDEEMABLE', ...errors],
      params: IdParams,
      body: ApplyCoupon,
      response,
      async handler({ request, actor }) {
        const row = await applyCoupon(services, actor, request.params.id, request.body);
        return success(request, presentAdminSubscription(row));
      },
    }),
  ];
}
