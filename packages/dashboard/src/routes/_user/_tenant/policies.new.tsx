import { createFileRoute } from '@tanstack/react-router';
import { NewPolicyScreen } from '../../../features/policies/NewPolicyScreen.tsx';
import { newPolicySearch } from '../../../features/policies/search.ts';

export const Route = createFileRoute('/_user/_tenant/policies/new')({
  validateSearch: newPolicySearch,
  component: NewPolicyScreen,
});
