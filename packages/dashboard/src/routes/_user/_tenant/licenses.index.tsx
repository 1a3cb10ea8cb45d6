import { createFileRoute } from '@tanstack/react-router';
import { LicensesScreen } from '../../../features/licenses/LicensesScreen.tsx';
import { prefetchLicenses } from '../../../features/licenses/list-query.ts';
import { licensesSearch } from '../../../features/licenses/search.ts';

export const Route = createFileRoute('/_user/_tenant/licenses/')({
  codeSplitGroupings: [['component', 'loader']],
  validateSearch: licensesSearch,
  loaderDeps: ({ search }) => search,
  // Does not wait: the screen shows its own skeleton.
  loader: ({ context, deps }) => void prefetchLicenses(context.queryClient, deps),
  component: LicensesScreen,
});
