import type { BulkOperation } from '../../api/bulk.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';

/** The state of an operation; one that was taken back says so. */
export function OperationState({ operation }: { readonly operation: BulkOperation }) {
  const { state, undone_by } = operation;
  if (undone_by !== null) return <StatusBadge status="undone" tone="neutral" />;
  return <StatusBadge status={state} {...(state === 'done' && { tone: 'good' })} />;
}
