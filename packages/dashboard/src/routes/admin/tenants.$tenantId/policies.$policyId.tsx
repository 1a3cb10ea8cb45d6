import { createFileRoute } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PolicyScreen } from '../../../features/policies/PolicyScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/policies/$policyId')({ component: Screen });

function Screen(): ReactNode {
  return <PolicyScreen policyId={Route.useParams().policyId} />;
}
