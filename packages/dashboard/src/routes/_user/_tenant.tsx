import { createFileRoute } from '@tanstack/react-router';
import { prefetchSettings } from '../../shell/prefetch.ts';
import { TenantArea } from '../../shell/TenantArea.tsx';

export const Route = createFileRoute('/_user/_tenant')({
  codeSplitGroupings: [['component', 'loader']],
  // Does not wait: the frame appears as soon as its user is known.
  loader: ({ context }) => void prefetchSettings(context.queryClient),
  component: TenantArea,
});
