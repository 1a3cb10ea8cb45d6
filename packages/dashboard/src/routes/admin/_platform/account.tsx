import { createFileRoute } from '@tanstack/react-router';
import { AdminAccountScreen } from '../../../features/account/AdminAccountScreen.tsx';

export const Route = createFileRoute('/admin/_platform/account')({ component: AdminAccountScreen });
