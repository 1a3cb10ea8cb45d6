import { auditCases, type List, scanning } from './listed.ts';
import { idOf } from './numbered-rows.ts';

/** The lists of the admin, the user and the billing surface. */
export const platformLists: Readonly<Record<string, List>> = {
  '/api/v1/admin/audit': {
    scan: 'audit_logs_occurred_at_id',
    cases: [
      ...auditCases,
      'event=TENANT.',
      'event=TENANT.&actor_type=user&from=2026-01-01T00:00:00.015Z',
      'ip=198.18.0.7',
      ...scanning('audit_logs_occurred_at_id', 'event=LICENSE.'),
    ],
  },
  '/api/v1/admin/billing/authorization-log': {
    scan: 'billing_authorization_log_occurred_at_id',
    cases: [
      `admin_id=${idOf('admin', 7)}`,
      'allowed=false',
      'from=2026-01-01T00:00:00.019Z',
      'to=2026-01-01T00:00:00.001Z',
      `admin_id=${idOf('admin', 0)}&allowed=false`,
      ...scanning('billing_authorization_log_occurred_at_id', 'allowed=true'),
    ],
  },
  '/api/v1/admin/billing/events': {
    scan: 'payment_events_received_at_id',
    cases: [
      'type=invoice.voided',
      'provider_subscription_id=sub_77',
      'type=invoice.voided&provider_subscription_id=sub_0',
      ...scanning('payment_events_received_at_id', 'type=invoice.paid'),
    ],
  },
  '/api/v1/admin/tenants': {
    scan: 'tenants_created_at_id',
    cases: [
      'status=suspended',
      'q=number77',
      `q=${idOf('tenant', 77)}`,
      'q=number77&status=active',
      'plan_code=rare',
      'plan_code=rare&status=active',
      'created_from=2026-01-01T00:00:00.009Z',
      'created_to=2026-01-01T00:00:00.001Z',
      'created_from=2026-01-01T00:00:00.005Z&created_to=2026-01-01T00:00:00.006Z',
      'q=number77&created_from=2026-01-01T00:00:00.000Z',
      'status=suspended&created_to=2026-01-01T00:00:00.009Z',
      ...scanning(
        'tenants_created_at_id',
        'q=whole',
        'status=active',
        'plan_code=free',
        'plan_code=free&status=active',
      ),
    ],
  },
  '/api/v1/admin/rate-limits': {
    scan: 'tenants_created_at_id',
    cases: [
      'status=suspended',
      'q=number77',
      'q=number77&limited=true',
      ...scanning('tenants_created_at_id', 'limited=true', 'q=whole', 'limited=true&status=active'),
    ],
  },
  '/api/v1/admin/admins': {
    scan: 'admins_created_at_id',
    cases: ['role=billing_admin', ...scanning('admins_created_at_id', 'role=admin')],
  },
  '/api/v1/account/sessions': { scan: 'access_tokens_ability_subject_id', cases: [] },
  '/api/v1/admin/account/sessions': { scan: 'access_tokens_ability_subject_id', cases: [] },
  '/api/v1/onboarding': {
    scan: 'onboarding_checkouts_user_id_created_at_id',
    cases: ['status=failed', ...scanning('onboarding_checkouts_user_id_status_created_at_id', 'status=canceled')],
  },
  '/api/v1/admin/catalog/products': { scan: 'catalog_products_created_at_id', cases: ['code=catalog-77'] },
  '/api/v1/admin/catalog/plans': {
    scan: 'plans_created_at_id',
    cases: [
      'code=plan-77',
      `catalog_product_id=${idOf('product', 7)}`,
      `catalog_product_id=${idOf('product', 7)}&archived=false`,
      ...scanning('plans_archived', 'archived=true'),
      ...scanning('plans_offered', 'archived=false'),
    ],
  },
  '/api/v1/admin/catalog/coupons': {
    scan: 'coupons_created_at_id',
    cases: [
      'code=coupon-77',
      ...scanning('coupons_archived', 'archived=true'),
      ...scanning('coupons_offered', 'archived=false'),
    ],
  },
  '/api/v1/admin/subscriptions': {
    scan: 'subscriptions_created_at_id',
    cases: [
      `tenant_id=${idOf('tenant', 7)}`,
      'status=past_due',
      `tenant_id=${idOf('tenant', 7)}&status=active&plan_code=free`,
      'plan_code=free&status=past_due',
      ...scanning('subscriptions_created_at_id', 'status=active', 'plan_code=free', 'plan_code=free&status=active'),
    ],
  },
  '/api/v1/admin/invoices': {
    scan: 'invoices_created_at_id',
    cases: [
      `tenant_id=${idOf('tenant', 7)}`,
      'status=open',
      `tenant_id=${idOf('tenant', 7)}&status=paid`,
      ...scanning('invoices_created_at_id', 'status=paid'),
    ],
  },
  '/api/v1/admin/billing/dunning': { scan: 'subscriptions_past_due_since', cases: [] },
  '/api/v1/admin/billing/orphans': { scan: 'orphan_subscriptions_created_at_id', cases: [] },
  '/api/v1/billing/invoices': {
    scan: 'invoices_tenant_id_created_at_id',
    cases: ['status=open', ...scanning('invoices_created_at_id', 'status=paid')],
  },
  '/api/v1/admin/users': {
    scan: 'users_created_at_id',
    cases: [
      'q=member77%40',
      `q=${idOf('user', 77)}`,
      'q=member7',
      ...scanning('users_created_at_id', 'q=member', 'q=ada'),
    ],
  },
  '/api/v1/admin/jobs': {
    scan: 'jobs_dead_updated_at',
    cases: [
      `tenant_id=${idOf('tenant', 1000)}`,
      `tenant_id=${idOf('tenant', 1000)}&kind=retention`,
      ...scanning('jobs_dead_updated_at', 'kind=retention'),
    ],
  },
  '/api/v1/admin/mails': {
    scan: 'dead_mails_died_at_id',
    cases: [
      'from=2026-01-01T00:00:00.009Z',
      'to=2026-01-01T00:00:00.001Z',
      'from=2026-01-01T00:00:00.005Z&to=2026-01-01T00:00:00.006Z',
    ],
  },
  '/api/v1/admin/feature-flags': { scan: 'feature_flags_created_at_id', cases: ['key=flag-77'] },
};
