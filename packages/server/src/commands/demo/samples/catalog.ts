import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { CreateEntitlement } from '../../../features/licensing/entitlements/schemas.ts';
import { createEntitlement } from '../../../features/licensing/entitlements/service.ts';
import type { CreatePolicy } from '../../../features/licensing/policies/schemas.ts';
import { createPolicy } from '../../../features/licensing/policies/service.ts';
import { createProduct, updateProduct } from '../../../features/licensing/products/service.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { dayMs, servicesAt } from './past.ts';

/** The policies of the demo, by licensing model. */
export type DemoModel = 'perpetual' | 'subscription' | 'trial' | 'floating' | 'metered';

/** The policies that the demo's licenses are issued under. */
export type DemoCatalog = Readonly<Record<DemoModel, PoliciesTable>>;

/** The features of the demo's policies. */
export const demoEntitlements: readonly CreateEntitlement[] = [
  { code: 'export-pdf', name: 'PDF export', type: 'boolean', description: 'Demo: switches a feature on.' },
  { code: 'priority-support', name: 'Priority support', type: 'boolean' },
  { code: 'projects', name: 'Projects', type: 'value', description: 'Demo: how many projects a user may keep.' },
  { code: 'renders', name: 'Renders', type: 'metered', description: 'Demo: counted by the render server.' },
  { code: 'api-calls', name: 'API calls', type: 'metered' },
];

/** The product of the guides, so that their commands work with the demo's license. */
export const demoProduct = {
  code: 'editor',
  name: 'Editor',
  description: 'Demo data: a desktop application.',
  platforms: ['windows', 'macos', 'linux'],
  renewal_url: 'https://example.com/renew?license={license_id}',
  metadata: { demo: true },
};
const server = {
  code: 'render-server',
  name: 'Render Server',
  description: 'Demo data: a server that renders on demand.',
  platforms: ['linux', 'windows'],
  metadata: { demo: true },
};

type PolicyInput = Omit<CreatePolicy, 'product_id'>;

/** The policy of trials, which the application starts without a license key. */
export const demoTrial = {
  code: 'trial-14-days',
  name: 'Trial, 14 days',
  duration_days: 14,
  expiry_basis: 'first_validation',
  max_activations: 1,
  require_activation: true,
  key_prefix: 'TRIAL',
} as const satisfies PolicyInput;

const policies: Readonly<Record<DemoModel, PolicyInput>> = {
  perpetual: {
    code: 'standard',
    name: 'Standard',
    maintenance_days: 365,
    max_deactivations: 5,
    holder_may_replace_key: true,
    max_activations: 3,
    entitlements: [{ code: 'export-pdf' }, { code: 'projects', value: 10 }],
    metadata: { demo: true },
  },
  subscription: {
    code: 'pro-yearly',
    name: 'Pro, yearly',
    duration_months: 12,
    expiry_basis: 'first_activation',
    grace_days: 14,
    max_activations: 2,
    activation_overage_percent: 50,
    require_activation: true,
    max_deactivations: 5,
    holder_may_replace_key: true,
    key_prefix: 'PRO',
    entitlements: [{ code: 'export-pdf' }, { code: 'priority-support' }, { code: 'projects', value: 100 }],
    metadata: { demo: true },
  },
  trial: { ...demoTrial, entitlements: [{ code: 'projects', value: 1 }], metadata: { demo: true } },
  floating: {
    code: 'floating-seats',
    name: 'Floating devices',
    duration_months: 12,
    grace_days: 7,
    max_activations: 8,
    require_activation: true,
    lease_seconds: 86_400,
    key_prefix: 'FLOAT',
    entitlements: [{ code: 'priority-support' }],
    metadata: { demo: true },
  },
  metered: {
    code: 'metered',
    name: 'Metered usage',
    key_prefix: 'METER',
    entitlements: [
      { code: 'renders', limit: 600, reset: 'month', overage: 'deny' },
      { code: 'api-calls', limit: 10_000, reset: 'month', overage: 'allow' },
    ],
    metadata: { demo: true },
  },
};

/** Creates products, entitlements and policies a year before now, each some minutes after the other. */
export async function createDemoCatalog(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  nowMs: number,
): Promise<DemoCatalog> {
  let atMs = nowMs - 412 * dayMs;
  const next = () => {
    atMs += 7 * 60_000;
    return servicesAt(services, atMs);
  };
  const appProduct = await createProduct(next(), tenant, actor, demoProduct);
  const serverProduct = await createProduct(next(), tenant, actor, server);
  for (const entitlement of demoEntitlements) await createEntitlement(next(), tenant, actor, entitlement);
  const create = (model: DemoModel, product: { readonly id: string }) =>
    createPolicy(next(), tenant, actor, { product_id: product.id, ...policies[model] });
  const trial = await create('trial', appProduct);
  await updateProduct(next(), tenant, actor, appProduct.id, { trial_policy_id: trial.id });
  return {
    perpetual: await create('perpetual', appProduct),
    subscription: await create('subscription', appProduct),
    trial,
    floating: await create('floating', serverProduct),
    metered: await create('metered', serverProduct),
  };
}
