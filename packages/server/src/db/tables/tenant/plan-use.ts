// How much a tenant has of what its plan limits, in the tenant's own database.

export type CountedResource = 'products' | 'licenses' | 'activations' | 'webhooks';

export interface PlanUseTables {
  plan_use: PlanUseTable;
}

/** One row per resource, changed in the transaction of whatever creates or removes one. */
export interface PlanUseTable {
  resource: CountedResource;
  used: number;
}
