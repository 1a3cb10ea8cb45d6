import { rangeNames } from '../../api/metrics.ts';
import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The states of a tenant. */
export const tenantStatuses = ['active', 'suspended', 'closed'] as const;

/** The search parameters of the list of tenants. */
export const tenantSearch = searchOf({
  q: text,
  status: oneOf(tenantStatuses),
  plan_code: text,
  panel: oneOf(['new', 'license']),
  cursor: text,
});

/** The search parameters of a tenant's page. */
export const tenantPageSearch = searchOf({ panel: oneOf(['edit', 'limits']), range: oneOf(rangeNames) });
