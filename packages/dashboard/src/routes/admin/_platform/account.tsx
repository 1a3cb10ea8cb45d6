import { createFileRoute } from '@tanstack/react-router';
import { AdminAccountScreen } from '../../../features/account/AdminAccountScreen.tsx';
import { searchOf, text } from '../../../lib/search.ts';

export const Route = createFileRoute('/admin/_platform/account')({
  validateSearch: searchOf({ cursor: text }),
  component: AdminAccountScreen,
});
