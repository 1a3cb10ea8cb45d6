import { createFileRoute } from '@tanstack/react-router';
import { FlagsScreen } from '../../../features/feature-flags/FlagsScreen.tsx';
import { flagSearch } from '../../../features/feature-flags/search.ts';

export const Route = createFileRoute('/admin/_platform/feature-flags/')({
  validateSearch: flagSearch,
  component: FlagsScreen,
});
