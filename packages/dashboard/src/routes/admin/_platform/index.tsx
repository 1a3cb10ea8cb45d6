import { createFileRoute } from '@tanstack/react-router';
import { AdminHomeScreen } from '../../../features/metrics/AdminHomeScreen.tsx';

export const Route = createFileRoute('/admin/_platform/')({ component: AdminHomeScreen });
