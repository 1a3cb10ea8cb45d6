import { createFileRoute } from '@tanstack/react-router';
import { RevertEmailScreen } from '../features/identity/EmailLinkScreens.tsx';

export const Route = createFileRoute('/revert-email')({ component: RevertEmailScreen });
