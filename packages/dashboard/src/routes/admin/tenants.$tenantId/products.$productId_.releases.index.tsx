import { createFileRoute } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ReleasesScreen } from '../../../features/releases/ReleasesScreen.tsx';
import { releaseSearch } from '../../../features/releases/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/products/$productId_/releases/')({
  validateSearch: releaseSearch,
  component: Screen,
});

function Screen(): ReactNode {
  return <ReleasesScreen productId={Route.useParams().productId} />;
}
