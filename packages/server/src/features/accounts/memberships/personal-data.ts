import { allPersonalRows, type PersonalData } from '../../tenant-core/personal-data/personal-data.ts';

/** The tenants to which the person belongs. */
export const membershipsPersonalData: PersonalData = {
  section: 'memberships',
  tables: ['memberships'],
  async read({ platform }, { id }) {
    const memberships = platform.query
      .selectFrom('memberships')
      .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
      .select(['memberships.id as id', 'tenants.id as tenant_id', 'tenants.name as tenant_name'])
      .select(['memberships.role as role', 'memberships.created_at as created_at'])
      .where('memberships.user_id', '=', id)
      .orderBy('memberships.created_at');
    return allPersonalRows(await memberships.execute());
  },
  async erase(tx, { id }) {
    // The memberships were ended when the erasure started. This deletes one that was added concurrently.
    await tx.deleteFrom('memberships').where('user_id', '=', id).execute();
  },
};
