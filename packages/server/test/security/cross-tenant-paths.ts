/** Paths with a parameter that belong to the platform or to a person. Tenant credentials give no access to them. */
export const platformPaths = [
  '/api/v1/admin/billing/events/{id}/replay',
  '/api/v1/admin/catalog/products/{id}',
  '/api/v1/admin/catalog/plans/{id}',
  '/api/v1/admin/catalog/coupons/{id}',
  '/api/v1/admin/subscriptions/{id}',
  '/api/v1/admin/subscriptions/{id}/cancel',
  '/api/v1/admin/subscriptions/{id}/resume',
  '/api/v1/admin/subscriptions/{id}/change-plan',
  '/api/v1/admin/subscriptions/{id}/extend-trial',
  '/api/v1/admin/subscriptions/{id}/apply-coupon',
  '/api/v1/admin/invoices/{id}',
  '/api/v1/admin/invoices/{id}/pdf',
  '/api/v1/admin/invoices/{id}/html',
  '/api/v1/admin/invoices/{id}/finalize',
  '/api/v1/admin/invoices/{id}/send',
  '/api/v1/admin/invoices/{id}/remind',
  '/api/v1/admin/invoices/{id}/refund',
  '/api/v1/admin/invoices/{id}/credit-notes/{creditNoteId}/pdf',
  '/api/v1/admin/invoices/{id}/credit-notes/{creditNoteId}/html',
  '/api/v1/admin/billing/invoices/{id}/void',
  '/api/v1/admin/billing/invoices/{id}/mark-uncollectible',
  '/api/v1/admin/billing/invoices/{id}/retry',
  // Invoices exist only with a payment provider. The suites in test/commerce test their separation by tenant.
  '/api/v1/billing/invoices/{id}',
  '/api/v1/billing/invoices/{id}/pdf',
  '/api/v1/billing/invoices/{id}/html',
  '/api/v1/billing/invoices/{id}/credit-notes/{creditNoteId}/pdf',
  '/api/v1/billing/invoices/{id}/credit-notes/{creditNoteId}/html',
  '/api/v1/admin/tenants/{id}',
  '/api/v1/admin/admins/{id}',
  '/api/v1/admin/rate-limits/{id}',
  '/api/v1/admin/feature-flags/{id}',
  '/api/v1/admin/users/{id}',
  '/api/v1/admin/users/{id}/disable',
  '/api/v1/admin/users/{id}/enable',
  '/api/v1/admin/users/{id}/send-password-reset',
  '/api/v1/admin/jobs/{id}',
  '/api/v1/admin/jobs/{id}/retry',
  '/api/v1/admin/mails/{id}',
  '/api/v1/admin/mails/{id}/retry',
  // Feature flags belong to the platform, and every tenant can evaluate them.
  '/ofrep/v1/evaluate/flags/{key}',
  // Sessions, identities, invitations and exports belong to a person, not to a tenant. The suites in test/accounts request those of
  // others.
  '/api/v1/admin/account/sessions/{id}',
  '/api/v1/account/identities/{id}',
  '/api/v1/account/sessions/{id}',
  '/api/v1/account/invitations/{id}/accept',
  '/api/v1/account/invitations/{id}/decline',
  '/api/v1/account/exports/{id}',
  '/api/v1/account/exports/{id}/download',
];

/** Paths with a parameter that belong to one user. Their own suites request them as another user. */
export const userPaths = [
  '/api/v1/onboarding/{id}',
  '/api/v1/onboarding/{id}/complete',
  '/api/v1/onboarding/{id}/cancel',
];

/** The texts of mails have a type and no id: every tenant has the same types, and its own texts. */
export const typePaths = [
  '/api/v1/tenant/mail-templates/{type}',
  '/api/v1/tenant/mail-templates/{type}/preview',
  '/api/v1/tenant/mail-templates/{type}/test',
  '/api/v1/admin/tenants/{tenantId}/mail-templates/{type}',
];

/**
 * Public paths that contain a tenant id or a handle: verifiers of certificates have no credentials. The suites in
 * test/holders test the logins and the sessions of portals.
 */
export const publicPaths = [
  // The id of a connection is not a secret; the signature is. The suites in test/sales send foreign messages.
  '/webhooks/sales/{connectionId}',
  '/api/v1/tenants/{tenantId}/jwks.json',
  ...['', '/logo', '/purchase', '/login', '/login/code', '/login/link', '/logout', '/session', '/licenses'].map(
    (path) => `/api/v1/portal/{handle}${path}`,
  ),
];
