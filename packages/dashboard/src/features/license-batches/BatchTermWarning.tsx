import { Alert } from '@mantine/core';
import type { Policy } from '../../api/tenant-catalog.ts';
import { AlertText } from '../../components/Texts.tsx';
import { TriangleAlert } from '../../icons/icons.gen.ts';

/** Warns that the terms of a batch run from its issue, before a reseller has sold its keys. Nothing for other policies. */
export function BatchTermWarning({ policy }: { readonly policy: Policy }) {
  const hasEnd = policy.duration_days !== null || policy.duration_months !== null || policy.maintenance_days !== null;
  if (policy.expiry_basis !== 'creation' || !hasEnd) return null;
  return (
    <Alert color="yellow" icon={<TriangleAlert size={18} aria-hidden="true" />}>
      <AlertText>
        The terms of this policy start when the licenses are issued, although their keys may be sold much later. For a
        reseller, use a policy whose terms start with the first activation.
      </AlertText>
    </Alert>
  );
}
