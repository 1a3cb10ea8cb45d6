import { Group } from '@mantine/core';
import type { Sale } from '../../api/sales.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';

const refunds = { none: undefined, partial: 'Partly refunded', full: 'Refunded' } as const;
const disputes = { none: undefined, open: 'Disputed', lost: 'Dispute lost' } as const;

/** The state of a sale, and whether its money was given back or is disputed. */
export function SaleBadges({ sale: { state, refund, dispute } }: { readonly sale: Sale }) {
  const [refunded, disputed] = [refunds[refund], disputes[dispute]];
  return (
    <Group gap={6}>
      <StatusBadge status={state} />
      {refunded !== undefined && <StatusBadge status="refunded" label={refunded} tone="bad" />}
      {disputed !== undefined && <StatusBadge status="disputed" label={disputed} tone="bad" />}
    </Group>
  );
}
