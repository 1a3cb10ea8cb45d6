import { words } from '../../lib/text.ts';
import { platformPhrases } from './platform-events.ts';

/** The nouns of resources in sentences. */
const nouns: Readonly<Record<string, string>> = {
  access_token: 'an access token',
  activation: 'a device',
  admin: 'an admin',
  api_key: 'an API key',
  brand: 'the brand',
  bulk_operation: 'a bulk operation',
  comparison: 'a comparison with a shop',
  connection: 'a shop connection',
  customer: 'a customer',
  customer_note: 'a note about a customer',
  entitlement: 'an entitlement',
  invoice: 'an invoice',
  license: 'a license',
  license_batch: 'a license batch',
  license_import: 'an import of licenses',
  member: 'a member',
  notification: 'a notification',
  offer: 'a shop offer',
  plan: 'a plan',
  policy: 'a policy',
  portal: 'the portal',
  portal_session: 'a session in the portal',
  product: 'a product',
  release: 'a release',
  sale: 'a sale',
  sale_event: 'a shop message',
  settings: 'the settings',
  signing_key: 'a signing key',
  subscription: 'the subscription',
  tenant: 'the tenant',
  user: 'a user',
  webhook: 'a webhook endpoint',
  webhook_delivery: 'a webhook delivery',
};

/** Texts for events with codes that are not plain words. */
const phrases: Readonly<Record<string, string>> = {
  'ACTIVATION.COMPONENTS_CHANGED': 'changed the parts of a device',
  'ACTIVATION.CREATED': 'activated a device',
  'ACTIVATION.DEACTIVATED': 'released a device',
  'ACTIVATION.EXPIRED': 'ended the lease of a device',
  'ACTIVATION.UPDATED': 'changed a device',
  'BRAND.UPDATED': 'changed the brand',
  'BULK_OPERATION.STARTED': 'started a bulk operation',
  'BULK_OPERATION.UNDONE': 'undid a bulk operation',
  'COMPARISON.APPLIED': 'applied the result of a comparison with a shop',
  'CONNECTION.UPDATED': 'changed a shop connection',
  'CUSTOMER_NOTE.CREATED': 'added a note about a customer',
  'CUSTOMER.ERASED': 'erased the personal data of a customer',
  'ENTITLEMENT.UPDATED': 'changed an entitlement',
  'LICENSE.CONVERTED': 'converted a trial to a paid license',
  'LICENSE.HOLDER_ERASED': 'erased the customer of a license',
  'LICENSE.KEY_ROTATED': 'replaced the key of a license',
  'LICENSE.PORTAL_LINK_CREATED': 'created a link to the portal for the customer of a license',
  'LICENSE.TERM_STARTED': 'started the term of a license',
  'LICENSE.UPDATED': 'changed a license',
  'MEMBER.INVITATION_MOVED': 'changed the address of an invitation',
  'MEMBER.INVITATION_DECLINED': 'declined the invitation of a member',
  'MEMBER.INVITATION_WITHDRAWN': 'withdrew the invitation of a member',
  'MEMBER.JOINED': 'accepted the invitation and joined as',
  'MEMBER.UPDATED': 'changed the role of a member',
  'NOTIFICATION.ALL_READ': 'marked all notifications as read',
  'NOTIFICATION.READ': 'marked a notification as read',
  'API_KEY.ROTATED': 'replaced an API key',
  'API_KEY.UPDATED': 'changed an API key',
  'POLICY.ARCHIVED': 'archived a policy',
  'POLICY.UNARCHIVED': 'unarchived a policy',
  'POLICY.UPDATED': 'changed a policy',
  'OFFER.UPDATED': 'changed a shop offer',
  'PORTAL.LOGGED_IN': 'logged in to the portal',
  'PORTAL.UPDATED': 'changed the portal',
  'PRODUCT.ARCHIVED': 'archived a product',
  'PRODUCT.UNARCHIVED': 'unarchived a product',
  'PRODUCT.UPDATED': 'changed a product',
  'RELEASE.UPDATED': 'changed the draft of a release',
  'RELEASE.YANKED': 'yanked a release',
  'TRIAL.ALLOWED': 'allowed another trial of a product',
  'SETTINGS.UPDATED': 'changed the settings',
  'SUBSCRIPTION.PLAN_CHANGED': 'changed the plan of the subscription',
  'TENANT.UPDATED': 'changed the tenant',
  'TEST_TENANT.CREATED': 'created the test tenant',
  'TEST_TENANT.DELETED': 'deleted the test tenant',
  'WEBHOOK.DISABLED': 'disabled a webhook endpoint that kept failing',
  'WEBHOOK.RECOVERED': 'recovered the events of a webhook endpoint',
  'WEBHOOK.SECRET_ROTATED': 'replaced the secret of a webhook endpoint',
  'WEBHOOK.TESTED': 'sent a test event to a webhook endpoint',
  'WEBHOOK.UPDATED': 'changed a webhook endpoint',
  'WEBHOOK_DELIVERY.RESENT': 'resent a webhook delivery',
};

const byAdmin = '_BY_ADMIN';

/** Returns an event without the suffix that marks an admin's change. */
function plainEvent(event: string): string {
  return event.endsWith(byAdmin) ? event.slice(0, -byAdmin.length) : event;
}

/** Returns the code of an event that an admin of the platform caused. */
export function adminEvent(event: string): string {
  return `${event}${byAdmin}`;
}

/** Returns what an event did, to follow the actor's name: `created a license`. */
export function eventPhrase(event: string, resourceType: string): string {
  const code = plainEvent(event);
  const known = phrases[code] ?? platformPhrases[code];
  if (known !== undefined) return known;
  const verb = words(code.slice(code.indexOf('.') + 1)).toLowerCase();
  return `${verb} ${nouns[resourceType] ?? words(resourceType).toLowerCase()}`;
}

const lifecycle = ['CREATED', 'UPDATED', 'DELETED'];

/** The verbs of each resource in a tenant's log. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  LICENSE: [...lifecycle, 'SUSPENDED', 'REINSTATED', 'REVOKED', 'RENEWED', 'KEY_ROTATED', 'TERM_STARTED'],
  ACTIVATION: ['CREATED', 'UPDATED', 'COMPONENTS_CHANGED', 'DEACTIVATED', 'EXPIRED'],
  BULK_OPERATION: ['STARTED', 'CANCELLED', 'UNDONE'],
  LICENSE_BATCH: ['CREATED', 'CANCELLED'],
  LICENSE_IMPORT: ['CANCELLED'],
  PRODUCT: [...lifecycle, 'ARCHIVED', 'UNARCHIVED'],
  RELEASE: [...lifecycle, 'PUBLISHED', 'YANKED'],
  POLICY: [...lifecycle, 'ARCHIVED', 'UNARCHIVED'],
  ENTITLEMENT: lifecycle,
  API_KEY: ['CREATED', 'UPDATED', 'REVOKED'],
  ACCESS_TOKEN: ['CREATED', 'REVOKED'],
  WEBHOOK: [...lifecycle, 'DISABLED', 'TESTED', 'RECOVERED', 'SECRET_ROTATED'],
  WEBHOOK_DELIVERY: ['RESENT'],
  CONNECTION: lifecycle,
  OFFER: lifecycle,
  SALE_EVENT: ['RETRIED'],
  COMPARISON: ['STARTED', 'APPLIED', 'CANCELLED'],
  MEMBER: [
    'INVITED',
    'JOINED',
    'ADDED',
    'UPDATED',
    'REMOVED',
    'INVITATION_WITHDRAWN',
    'INVITATION_DECLINED',
    'INVITATION_MOVED',
  ],
  NOTIFICATION: ['CREATED', 'READ', 'ALL_READ'],
  SETTINGS: ['UPDATED'],
  SIGNING_KEY: ['CREATED', 'ROTATED'],
  TENANT: ['UPDATED'],
  AUDIT_LOG: ['EXPORTED'],
};

/** The codes that a tenant's log contains, for the filter. */
export const tenantEvents: readonly string[] = Object.entries(verbs).flatMap(([resource, names]) =>
  names.map((verb) => `${resource}.${verb}`),
);

/** The types of resources that a tenant's log contains, for the filter. */
export const tenantResourceTypes: readonly string[] = Object.keys(verbs).map((name) => name.toLowerCase());
