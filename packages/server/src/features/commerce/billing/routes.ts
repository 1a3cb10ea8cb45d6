import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { askProvider } from '../../../payments/ask-provider.ts';
import type { Services } from '../../../services.ts';
import { presentCustomer } from '../invoices/invoice.ts';
import { CustomerView } from '../invoices/schemas.ts';
import { SubscriptionView } from '../subscriptions/schemas.ts';
import { presentSubscription } from '../subscriptions/subscription.ts';
import { beginChange } from './current-service.ts';
import { changeDetails, requireCustomer } from './details-service.ts';
import { readOverview } from './overview-service.ts';
import { cancelOrResume, changePlan, previewPlan } from './plan-change-service.ts';
import {
  BillingOverview,
  ChangeDetails,
  ChangePlan,
  ChangeSubscription,
  PlanChange,
  PlanPreview,
  PortalSession,
  PreviewQuery,
} from './schemas.ts';

const tags = ['Billing'] as const;

/** What a tenant's owners see and decide of what it pays. */
export function billingRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '/overview',
      schema: {
        summary: 'Plan, use, subscription and the next invoice',
        tags,
        response: { 200: Envelope(BillingOverview) },
      },
      async handler({ request, tenant }) {
        return success(request, await readOverview(services, tenant));
      },
    }),
    tenantRoute({
      method: 'GET',
      url: '/plan-preview',
      schema: {
        summary: 'What a change of plan would cost, and when',
        tags,
        querystring: PreviewQuery,
        response: { 200: Envelope(PlanPreview) },
      },
      async handler({ request, tenant, actor }) {
        const { plan, ...rest } = request.query;
        return success(request, await previewPlan(beginChange(services, tenant, actor), { plan_code: plan, ...rest }));
      },
    }),
    tenantRoute({
      method: 'PUT',
      url: '/plan',
      schema: {
        summary: 'Change the plan',
        tags,
        description:
          'An upgrade takes effect now, and the difference is charged: 402 `BILLING.PAYMENT_FAILED` when that fails, and ' +
          'nothing has changed. A downgrade, and the plan `free`, take effect when the period ends. The present plan takes ' +
          'back what was to change. Without a subscription the answer names the page on which it is bought. Sent twice it ' +
          'is charged once.',
        body: ChangePlan,
        response: { 200: Envelope(PlanChange) },
      },
      async handler({ request, tenant, actor }) {
        return success(request, await changePlan(beginChange(services, tenant, actor), request.body));
      },
    }),
    tenantRoute({
      method: 'PUT',
      url: '/subscription',
      schema: {
        summary: 'Let the subscription end with its period, or go on after all',
        tags,
        body: ChangeSubscription,
        response: { 200: Envelope(SubscriptionView) },
      },
      async handler({ request, tenant, actor }) {
        const change = beginChange(services, tenant, actor);
        return success(request, presentSubscription(await cancelOrResume(change, request.body.cancel_at_period_end)));
      },
    }),
    tenantRoute({
      method: 'PUT',
      url: '/details',
      schema: {
        summary: 'Change whom invoices are made out to',
        tags,
        description: 'Of the invoices to come: those that are final do not change.',
        body: ChangeDetails,
        response: { 200: Envelope(CustomerView) },
      },
      async handler({ request, tenant, actor }) {
        const details = await changeDetails(beginChange(services, tenant, actor), request.body);
        return success(request, presentCustomer(details));
      },
    }),
    tenantRoute({
      method: 'GET',
      url: '/portal-session',
      schema: {
        summary: "A page of the payment provider's for cards and open invoices",
        tags,
        description: 'The address works for a while and for whoever has it.',
        response: { 200: Envelope(PortalSession) },
      },
      async handler({ request, reply, tenant, actor }) {
        const change = beginChange(services, tenant, actor);
        const { provider_customer_id: customerId } = await requireCustomer(change);
        const back = `${services.config.publicUrl}/billing`;
        reply.header('cache-control', 'no-store');
        return success(request, await askProvider(() => change.payments.createPortalSession(customerId, back)));
      },
    }),
  ];
}
