import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** The state of a tenant at a glance. */
export type Overview = components['schemas']['Overview'];

/** A range of the chart that ends now. */
export interface OverviewRange {
  readonly interval: 'hour' | 'day';
  /** The number of buckets, including the current one. */
  readonly buckets: number;
}

const bucketMs = { hour: 3_600_000, day: 86_400_000 } as const;
const quickMs = 4_000;
const calmMs = 30_000;

/** Reads the overview. It stays current, and more so while a new tenant takes its first steps. */
export function overviewQuery(surface: Surface, { interval, buckets }: OverviewRange) {
  return queryOptions({
    queryKey: keyOf(surface, 'overview', interval, buckets),
    queryFn: () => {
      const from = new Date(Date.now() - (buckets - 1) * bucketMs[interval]).toISOString();
      return dataOf(apiOf(surface).GET('/api/v1/tenant/overview', { params: { query: { interval, from } } }));
    },
    refetchInterval: ({ state }) => (state.data?.first_steps.validation === false ? quickMs : calmMs),
  });
}

/** What became of licenses and trials by month. */
export type Figures = components['schemas']['Figures'];

/** Reads the figures of all products or of one. They are of months, and cost more than the overview. */
export const figuresQuery = onSurface.one('/api/v1/tenant/overview/figures', ['figures'], { staleTime: 300_000 });

type Schemas = components['schemas'];

const licenses = onSurface.GET('/api/v1/tenant/licenses');
const policies = onSurface.GET('/api/v1/tenant/policies');
const policyWithId = onSurface.GET('/api/v1/tenant/policies/{id}');
const products = onSurface.GET('/api/v1/tenant/products');
const productWithId = onSurface.GET('/api/v1/tenant/products/{id}');

const newest = { limit: 1 };

/** The newest objects of a tenant, from which its next step continues. */
export interface NewestObjects {
  readonly product: Schemas['Product'] | null;
  readonly policy: Schemas['Policy'] | null;
  readonly license: Schemas['License'] | null;
}

/** Reads the newest license with its policy and product, or the newest policy, or the newest product. */
export function newestObjectsQuery(
  surface: Surface,
  existing: Readonly<Record<'product' | 'policy' | 'license', boolean>>,
) {
  return queryOptions({
    queryKey: keyOf(surface, 'first-license', existing.product, existing.policy, existing.license),
    queryFn: async (): Promise<NewestObjects> => {
      const license = existing.license ? ((await licenses(surface, newest))[0] ?? null) : null;
      const policy = await policyOf(surface, license, existing.policy);
      return { license, policy, product: await productOf(surface, policy, existing.product) };
    },
  });
}

async function policyOf(surface: Surface, license: Schemas['License'] | null, exists: boolean) {
  if (license !== null) return await policyWithId(surface, license.policy_id);
  return exists ? ((await policies(surface, newest))[0] ?? null) : null;
}

async function productOf(surface: Surface, policy: Schemas['Policy'] | null, exists: boolean) {
  if (policy !== null) return await productWithId(surface, policy.product_id);
  return exists ? ((await products(surface, newest))[0] ?? null) : null;
}
