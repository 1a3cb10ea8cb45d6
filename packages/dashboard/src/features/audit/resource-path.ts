const pages: Readonly<Record<string, string>> = {
  connection: '/connections/',
  license: '/licenses/',
  product: '/products/',
  policy: '/policies/',
  webhook: '/webhook-endpoints/',
  webhook_delivery: '/webhook-deliveries/',
};

const lists: Readonly<Record<string, string>> = {
  access_token: '/access-tokens',
  activation: '/activations',
  api_key: '/api-keys',
  brand: '/portal-settings',
  connection: '/connections',
  customer: '/customers',
  entitlement: '/entitlements',
  license: '/licenses',
  member: '/members',
  notification: '/notifications',
  plan: '/billing',
  portal: '/portal-settings',
  settings: '/settings',
  subscription: '/billing',
};

const platformPages: Readonly<Record<string, string>> = {
  tenant: '/tenants/',
  user: '/users/',
  feature_flag: '/feature-flags/',
  coupon: '/catalog/coupons/',
  invoice: '/invoices/',
};

const platformLists: Readonly<Record<string, string>> = {
  admin: '/admins',
  job: '/jobs',
  mail: '/mails',
  coupon: '/catalog',
  invoice: '/invoices',
  subscription: '/subscriptions',
  plan: '/catalog',
  catalog_product: '/catalog',
};

/** Like `resourcePath`, for the resources of the platform. The paths are below `/admin`. */
export function platformResourcePath(type: string, id: string | null): string | null {
  const page = platformPages[type];
  return page !== undefined && id !== null ? `${page}${id}` : (platformLists[type] ?? null);
}

/** Returns the path of the screen that shows a resource or its list; null without such a screen. */
export function resourcePath(type: string, id: string | null): string | null {
  const page = pages[type];
  return page !== undefined && id !== null ? `${page}${id}` : (lists[type] ?? null);
}
