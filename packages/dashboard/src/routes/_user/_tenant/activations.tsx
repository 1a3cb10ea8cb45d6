import { createFileRoute } from '@tanstack/react-router';
import { ActivationsScreen } from '../../../features/activations/ActivationsScreen.tsx';
import { activationsSearch } from '../../../features/activations/search.ts';

export const Route = createFileRoute('/_user/_tenant/activations')({
  validateSearch: activationsSearch,
  component: ActivationsScreen,
});
