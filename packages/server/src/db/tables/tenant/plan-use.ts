/** The resources that a plan limits and that are counted in the tenant's database. */
export type CountedResource = 'products' | 'licenses' | 'activations' | 'webhooks';

/** The table of the plan's use, in a tenant's database. */
export interface PlanUseTables {
  plan_use: PlanUseTable;
}

/** The number of existing rows of a resource. It changes in the transaction that creates or deletes one. */
export interface PlanUseTable {
  resource: CountedResource;
  used: number;
}
