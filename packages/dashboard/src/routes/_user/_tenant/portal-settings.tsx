import { createFileRoute } from '@tanstack/react-router';
import { PortalScreen } from '../../../features/portal/PortalScreen.tsx';

export const Route = createFileRoute('/_user/_tenant/portal-settings')({
  component: PortalScreen,
});
