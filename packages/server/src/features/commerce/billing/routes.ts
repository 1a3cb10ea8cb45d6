import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { callProvider } from '../../../payments/call-provider.ts';
import type { Services } from '../../../services.ts';
import { presentCustomer } from '../invoices/invoice.ts';
import { CustomerView } from '../invoices/schemas.ts';
import { chosenPlanCode } from '../plans/plan.ts';
import { SubscriptionView } from '../subscriptions/schemas.ts';
import { presentSubscription } from '../subscriptions/subscription.ts';
import { beginChange } from './change-service.ts';
import { changeDetails, requireCustomer } from './customer-service.ts';
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

/** Registers the routes on which the owners of a tenant manage its plan, subscription and billing details. */
export function billingRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '/overview', {
      operationId: 'getBillingOverview',
      summary: 'Read the plan, the usage, the subscription and the next invoice',
      tags,
      response: { 200: Envelope(BillingOverview) },
      async handler({ request, tenant }) {
        return success(request, await readOverview(services, tenant));
      },
    }),
    tenantRoute('GET', '/plan-preview', {
      operationId: 'previewPlanChange',
      summary: 'Preview the cost and the time of a plan change',
      tags,
      description:
        'Changes nothing. An upgrade takes effect now and charges the difference; a downgrade and the free plan take ' +
        'effect when the period ends.',
      errors: ['BILLING.NO_PROVIDER', 'BILLING.REFUSED'],
      querystring: PreviewQuery,
      response: { 200: Envelope(PlanPreview) },
      async handler({ request, tenant, actor }) {
        const { plan: _plan, ...rest } = request.query;
        const wanted = { ...rest, plan_code: chosenPlanCode(request.query) };
        return success(request, await previewPlan(beginChange(services, tenant, actor), wanted));
      },
    }),
    tenantRoute('PUT', '/plan', {
      operationId: 'changePlan',
      summary: 'Change the plan',
      tags,
      errors: ['BILLING.PAYMENT_FAILED', 'BILLING.NO_PROVIDER', 'BILLING.NO_SUBSCRIPTION', 'BILLING.REFUSED'],
      description:
        'An upgrade takes effect now and charges the difference. If the charge fails, the response is 402 ' +
        '`BILLING.PAYMENT_FAILED` and nothing changes. A downgrade, and the plan `free`, take effect when the ' +
        'period ends. The current plan withdraws a pending change. Without a subscription, `checkout_url` is the ' +
        'page on which the plan is paid. A repeated request charges once.',
      body: ChangePlan,
      response: { 200: Envelope(PlanChange) },
      async handler({ request, tenant, actor }) {
        return success(request, await changePlan(beginChange(services, tenant, actor), request.body));
      },
    }),
    tenantRoute('PUT', '/subscription', {
      operationId: 'updateSubscription',
      summary: 'Cancel the subscription at the end of its period, or resume it',
      tags,
      description: 'The tenant keeps its plan until the period ends, and then has the plan `free`.',
      errors: ['BILLING.NO_PROVIDER', 'BILLING.NO_SUBSCRIPTION', 'BILLING.REFUSED'],
      body: ChangeSubscription,
      response: { 200: Envelope(SubscriptionView) },
      async handler({ request, tenant, actor }) {
        const change = beginChange(services, tenant, actor);
        return success(request, presentSubscription(await cancelOrResume(change, request.body.cancel_at_period_end)));
      },
    }),
    tenantRoute('PUT', '/details', {
      operationId: 'updateBillingDetails',
      summary: 'Change the recipient of invoices',
      tags,
      errors: ['BILLING.NO_PROVIDER', 'BILLING.NO_SUBSCRIPTION', 'BILLING.REFUSED'],
      description: 'Applies to future invoices. Finalized invoices do not change.',
      body: ChangeDetails,
      response: { 200: Envelope(CustomerView) },
      async handler({ request, tenant, actor }) {
        const details = await changeDetails(beginChange(services, tenant, actor), request.body);
        return success(request, presentCustomer(details));
      },
    }),
    tenantRoute('GET', '/portal-session', {
      operationId: 'createPortalSession',
      summary: "Open a session of the provider's customer portal",
      tags,
      errors: ['BILLING.NO_PROVIDER', 'BILLING.NO_SUBSCRIPTION', 'BILLING.REFUSED'],
      description:
        'The URL leads to a page of the payment provider on which cards and open invoices are managed. It ' +
        'expires, and it needs no login: keep it secret.',
      response: { 200: Envelope(PortalSession) },
      async handler({ request, reply, tenant, actor }) {
        const change = beginChange(services, tenant, actor);
        const { provider_customer_id: customerId } = await requireCustomer(change);
        const returnUrl = `${services.config.publicUrl}/billing`;
        reply.header('cache-control', 'no-store');
        return success(
          request,
          await callProvider(() => change.payments.createBillingPortalSession(customerId, returnUrl)),
        );
      },
    }),
  ];
}
