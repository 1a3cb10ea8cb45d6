import { createFileRoute } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ReleaseScreen } from '../../../features/releases/ReleaseScreen.tsx';
import { releaseDetailSearch } from '../../../features/releases/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/products/$productId_/releases/$releaseId')({
  validateSearch: releaseDetailSearch,
  component: Screen,
});

function Screen(): ReactNode {
  return <ReleaseScreen {...Route.useParams()} />;
}
