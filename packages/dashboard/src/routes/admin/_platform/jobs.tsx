import { createFileRoute } from '@tanstack/react-router';
import { JobsScreen } from '../../../features/jobs/JobsScreen.tsx';
import { jobSearch } from '../../../features/jobs/search.ts';

export const Route = createFileRoute('/admin/_platform/jobs')({
  validateSearch: jobSearch,
  component: JobsScreen,
});
