import { createFileRoute } from '@tanstack/react-router';
import { NewConnectionScreen } from '../../../features/connections/NewConnectionScreen.tsx';
import { newConnectionSearch } from '../../../features/connections/search.ts';

export const Route = createFileRoute('/_user/_tenant/connections/new')({
  validateSearch: newConnectionSearch,
  component: NewConnectionScreen,
});
