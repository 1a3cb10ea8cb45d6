import { createFileRoute } from '@tanstack/react-router';
import { DevelopersScreen } from '../../../features/developers/DevelopersScreen.tsx';

export const Route = createFileRoute('/_user/_tenant/developers')({ component: DevelopersScreen });
