import type { SaleEvent } from '../../api/sales.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';

/** The state of a message; "nothing" is not a failure. */
export function MessageState({ event: { state, attempts } }: { readonly event: SaleEvent }) {
  if (state === 'applied') return <StatusBadge status="applied" tone="good" />;
  if (state === 'nothing') return <StatusBadge status="nothing" label="Nothing to do" />;
  return <StatusBadge status={state === 'pending' && attempts > 0 ? 'retrying' : state} />;
}
