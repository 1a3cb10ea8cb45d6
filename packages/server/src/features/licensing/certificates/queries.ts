import type { PreparedRead } from '../../../db/database.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { CertificateTerms } from './certificate.ts';

/** Reads what a certificate needs from the policy and the product of a license. Arguments: license id. */
export const findCertificateTerms: PreparedRead<TenantTables, CertificateTerms> = {
  name: 'find_certificate_terms',
  build: (db, parameter) =>
    db
      .selectFrom('licenses')
      .innerJoin('policies', 'policies.id', 'licenses.policy_id')
      .innerJoin('products', 'products.id', 'licenses.product_id')
      .select([
        'products.code as product_code',
        'policies.code as policy_code',
        'policies.offline_ttl_seconds_max as offline_ttl_seconds_max',
        'policies.expiry_strategy as expiry_strategy',
        'policies.grace_days as grace_days',
        'policies.require_activation as require_activation',
      ])
      .where('licenses.id', '=', parameter(0)),
};
