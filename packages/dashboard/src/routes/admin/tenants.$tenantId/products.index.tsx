import { createFileRoute } from '@tanstack/react-router';
import { ProductsScreen } from '../../../features/products/ProductsScreen.tsx';
import { productSearch } from '../../../features/products/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/products/')({
  validateSearch: productSearch,
  component: ProductsScreen,
});
