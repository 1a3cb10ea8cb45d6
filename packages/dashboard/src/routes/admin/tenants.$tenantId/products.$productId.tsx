import { createFileRoute } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ProductScreen } from '../../../features/products/ProductScreen.tsx';
import { productDetailSearch } from '../../../features/products/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/products/$productId')({
  validateSearch: productDetailSearch,
  component: Screen,
});

function Screen(): ReactNode {
  return <ProductScreen productId={Route.useParams().productId} />;
}
