import { createFileRoute } from '@tanstack/react-router';
import { OverviewScreen } from '../../../features/overview/OverviewScreen.tsx';

export const Route = createFileRoute('/_user/_tenant/overview')({ component: OverviewScreen });
