import { createFileRoute } from '@tanstack/react-router';
import { ProductsScreen } from '../../../features/products/ProductsScreen.tsx';
import { productSearch } from '../../../features/products/search.ts';

export const Route = createFileRoute('/_user/_tenant/products/')({
  validateSearch: productSearch,
  component: ProductsScreen,
});
