import { createFileRoute } from '@tanstack/react-router';
import { CatalogScreen } from '../../../features/catalog/CatalogScreen.tsx';
import { catalogSearch } from '../../../features/catalog/search.ts';

export const Route = createFileRoute('/admin/_platform/catalog/')({
  validateSearch: catalogSearch,
  component: CatalogScreen,
});
