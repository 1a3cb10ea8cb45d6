import { createFileRoute } from '@tanstack/react-router';
import { CatalogProductScreen } from '../../../features/catalog/ProductScreen.tsx';

export const Route = createFileRoute('/admin/_platform/catalog/products/$productId')({
  component: () => <CatalogProductScreen id={Route.useParams().productId} />,
});
