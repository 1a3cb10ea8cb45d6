import type { Tenant, UpdateTenant } from '../../api/tenants.ts';

/** The limits of a plan, in the order of reading, with their names. */
export const limitLabels = {
  licenses: 'Licenses',
  activations: 'Devices',
  products: 'Products',
  api_keys: 'API keys',
  webhooks: 'Webhooks',
  members: 'Members',
  integration_requests_per_minute: 'Integration requests per minute',
} as const;
export type LimitName = keyof typeof limitLabels;
export const limitNames: readonly LimitName[] = [
  'licenses',
  'activations',
  'products',
  'api_keys',
  'webhooks',
  'members',
  'integration_requests_per_minute',
];

/** Where the limit of a tenant comes from. */
export type LimitSource = 'plan' | 'own' | 'unlimited';

/** The fields of the form for one limit. */
export interface LimitInput {
  readonly source: LimitSource;
  readonly value: number | string;
}

/** Returns the fields of the form for a tenant's limits. */
export function limitInputs({ limits, limit_overrides: overrides }: Tenant): Record<LimitName, LimitInput> {
  const inputOf = (name: LimitName): LimitInput => {
    const override = overrides[name];
    if (override === 'unlimited') return { source: 'unlimited', value: '' };
    if (override !== undefined) return { source: 'own', value: override };
    return { source: 'plan', value: limits[name] ?? '' };
  };
  return Object.fromEntries(limitNames.map((name) => [name, inputOf(name)])) as Record<LimitName, LimitInput>;
}

/** Returns the change of the limits that the fields describe: null goes back to the plan's limit. */
export function limitChanges(inputs: Readonly<Record<LimitName, LimitInput>>): NonNullable<UpdateTenant['limits']> {
  const changeOf = ({ source, value }: LimitInput) => {
    if (source === 'plan') return null;
    if (source === 'unlimited') return 'unlimited';
    return Number(value);
  };
  const changes = limitNames.map((name) => [name, changeOf(inputs[name])] as const);
  return Object.fromEntries(changes);
}
