import { type List, scanning } from './listed.ts';
import { idOf } from './numbered-rows.ts';

const base = '/api/v1/tenant/connections';

/** The lists of connections to shops, with rows of `sale-rows.ts`. */
export const saleLists: Readonly<Record<string, List>> = {
  [base]: { scan: 'connections_created_at_id', cases: [] },
  [`${base}/{id}/offers`]: { scan: 'offers_connection_id_created_at_id', cases: [] },
  [`${base}/{id}/sales`]: {
    scan: 'sales_connection_id_created_at_id',
    cases: ['state=past_due', 'problem=unmapped', 'problem=any', 'q=buyer-101'],
  },
  [`${base}/{id}/events`]: {
    scan: 'sale_messages_connection_id_received_at_id',
    cases: ['state=failed', `sale_id=${idOf('license', 1)}`],
  },
  [`${base}/{id}/comparisons`]: { scan: 'comparisons_connection_id_created_at_id', cases: [] },
  [`${base}/{id}/comparisons/{comparison_id}/differences`]: {
    scan: 'comparison_differences_comparison_id_created_at_id',
    cases: ['state=open', ...scanning('comparison_differences_comparison_id_created_at_id', 'state=applied')],
  },
};
