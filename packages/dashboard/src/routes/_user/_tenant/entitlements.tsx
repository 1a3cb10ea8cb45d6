import { createFileRoute } from '@tanstack/react-router';
import { EntitlementsScreen } from '../../../features/entitlements/EntitlementsScreen.tsx';
import { entitlementSearch } from '../../../features/entitlements/search.ts';

export const Route = createFileRoute('/_user/_tenant/entitlements')({
  validateSearch: entitlementSearch,
  component: EntitlementsScreen,
});
