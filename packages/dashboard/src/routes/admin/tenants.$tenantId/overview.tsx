import { createFileRoute } from '@tanstack/react-router';
import { OverviewScreen } from '../../../features/overview/OverviewScreen.tsx';

export const Route = createFileRoute('/admin/tenants/$tenantId/overview')({ component: OverviewScreen });
