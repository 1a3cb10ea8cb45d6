const program = 'programs call it with an API key, not people';
const portal = 'the portal of the holders calls it, which is an application of its own';
const monitor = 'monitoring calls it';
const alias = "the seed's name for the operation under /api/v1, which the dashboard calls";
const provider = 'the payment provider calls it';
const news = 'a page outside the application calls it, because its readers have no account';

const listed = 'the list has the same fields, so the screen reads only the list';

/** The operations that the dashboard does not call, with the reason. A `*` at the end stands for any text. */
export const uncalledOperations: Readonly<Record<string, string>> = {
  'GET /health': monitor,
  'GET /health/ready': monitor,
  'GET /metrics': monitor,
  'POST /api/auth/login': alias,
  'POST /api/auth/logout': alias,
  'GET /api/auth/me': alias,
  'GET /api/v1/tenants/{tenantId}/jwks.json': 'applications verify signatures with it',
  'POST /api/v1/marketing/*': news,
  'GET /api/v1/marketing/unsubscribe': news,
  'GET /api/v1/tenant/activations/{id}': listed,
  'GET /api/v1/tenant/entitlements/{id}': listed,
  'GET /api/v1/tenant/api-keys/{id}': listed,
  'GET /api/v1/tenant/access-tokens/{id}': listed,
  'GET /api/v1/admin/jobs/{id}': listed,
  'GET /api/v1/admin/mails/{id}': listed,
  'GET /api/v1/tenant/mails/{id}': listed,
  'GET /api/v1/tenant/mail-templates/{type}': listed,
  'GET /api/v1/tenant/demo-data': 'the current user has it for each tenant',
  'POST /webhooks/*': provider,
  'POST /api/v1/integration/licenses/{key}/activations/list': program,
  'POST /api/v1/integration/licenses/{key}/activations/{id}/heartbeat': program,
  'POST /api/v1/integration/licenses/{key}/activations/{id}/deactivate': program,
  'POST /api/v1/integration/licenses/{key}/entitlements/check': program,
  'POST /api/v1/integration/licenses/{key}/usage': program,
  'POST /api/v1/integration/licenses/{key}/certificate': program,
  'POST /api/v1/integration/trials': program,
  'POST /api/v1/integration/trials/confirm': program,
  'POST /api/v1/integration/releases/*': program,
  'GET /api/v1/integration/releases/*': program,
  'GET /api/v1/integration/feeds/*': 'updaters read it',
  'GET /api/v1/portal/*': portal,
  'POST /api/v1/portal/*': portal,
  'POST /ofrep/*': 'OpenFeature providers call it',
};
