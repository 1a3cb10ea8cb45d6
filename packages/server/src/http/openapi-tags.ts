/** The tags with their descriptions, by the part of the API that a reader looks for. */
const groups = {
  Integration: {
    Integration: 'Endpoints that shipped software calls with an API key.',
  },
  Tenant: {
    Overview: 'The state of a tenant at a glance.',
    Products: 'The products of a tenant.',
    Releases: 'Versions of a product, their files, and who downloads them.',
    Policies: 'License templates of a product.',
    Licenses: 'Licenses and their state.',
    'Bulk operations': 'Changes of many licenses at once, and how to undo them.',
    'License batches': 'Licenses of a policy that are issued together, such as for a reseller.',
    Customers: 'The holders of licenses, by their email address.',
    Activations: 'Devices that use a license.',
    Entitlements: 'Features and limits that policies and licenses grant.',
    Usage: 'Consumption of metered entitlements by licenses.',
    'API keys': 'Credentials of the Integration API.',
    'Access tokens': 'Credentials with which a program manages a tenant.',
    Webhooks: 'Endpoints that receive events, and the status of deliveries.',
    Connections: 'Shops that sell for a tenant: what they sell, their messages, and what was sold.',
    Settings: 'The settings of a tenant.',
    'Portal settings': 'The portal of the holders of licenses: its address, its look and what holders may do.',
    'Mails to holders': 'Mails to the holders of licenses: their settings, texts and states.',
    Members: 'The users of a tenant and their roles.',
    Notifications: 'Messages to the users of a tenant.',
    'Test tenant': 'A copy of a tenant in which to try things, apart from its customers.',
    'Demo data': 'The data with which a demo starts, and its removal.',
    'Developer tools': 'Diagnostics for developers who integrate the API.',
    Audit: 'Records of all changes.',
  },
  Portal: {
    Portal: 'The page on which the holders of licenses see and manage them. Its tokens are valid there only.',
  },
  Account: {
    Identity: 'Register, log in and out, and read who is logged in.',
    Account: 'The profile of a user, the export of its data, and its deletion.',
    Onboarding: 'The purchase of a plan, which creates a tenant.',
    Plans: 'The public plans.',
    Billing: 'Subscription, invoices and payment details of a tenant, for its owners.',
    Marketing: 'Subscription to news by mail.',
  },
  Platform: {
    'Feature flags': 'Flag definitions (flagd) and their evaluation for a tenant (OFREP).',
    Tenants: 'The tenants of the platform, for platform admins.',
    Users: 'The users of all tenants, for platform admins.',
    Jobs: 'Background jobs that the service gave up on, for platform admins.',
    Mails: 'Mails that the service gave up on, for platform admins.',
    Admins: 'The admins of the platform.',
    Catalog: 'Products and prices of the platform.',
    Subscriptions: 'Subscriptions and invoices of tenants, for platform admins.',
    'Billing administration': 'Administration of payments by platform admins.',
    Metrics: 'Figures of the platform and its tenants, for platform admins.',
    'Rate limits': "The use of tenants' rate limits, for platform admins.",
    'Payment webhooks': 'Events that the payment provider sends to this service.',
    'Sales webhooks': 'Messages that the shops of the tenants send to this service.',
    Operations: 'Health and metrics of the service.',
  },
} as const;

type Groups = typeof groups;

/** The name of a group of operations. Every route has one. */
export type Tag = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

/** The groups of operations in the OpenAPI document, in the order of the document. */
export const tags: readonly { readonly name: string; readonly description: string }[] = Object.values(groups).flatMap(
  (descriptions) => Object.entries(descriptions).map(([name, description]) => ({ name, description })),
);

/** The parts of the API with their tags: the vendor extension by which tools group a long list of tags. */
export const tagGroups = Object.entries(groups).map(([name, descriptions]) => ({
  name,
  tags: Object.keys(descriptions),
}));
