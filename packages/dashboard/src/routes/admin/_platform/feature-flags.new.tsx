import { createFileRoute } from '@tanstack/react-router';
import { NewFlagScreen } from '../../../features/feature-flags/FlagScreen.tsx';
import { flagPageSearch } from '../../../features/feature-flags/search.ts';

export const Route = createFileRoute('/admin/_platform/feature-flags/new')({
  validateSearch: flagPageSearch,
  component: NewFlagScreen,
});
