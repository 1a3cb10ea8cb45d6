import { createFileRoute } from '@tanstack/react-router';
import { RevertEmailScreen } from '../features/identity/RevertEmailScreen.tsx';

export const Route = createFileRoute('/revert-email')({ component: RevertEmailScreen });
