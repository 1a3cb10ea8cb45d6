import { createFileRoute } from '@tanstack/react-router';
import { ImportScreen } from '../../../features/licenses/ImportScreen.tsx';

export const Route = createFileRoute('/_user/_tenant/licenses/import')({
  component: ImportScreen,
});
