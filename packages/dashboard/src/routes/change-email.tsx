import { createFileRoute } from '@tanstack/react-router';
import { ChangeEmailScreen } from '../features/identity/EmailLinkScreens.tsx';

export const Route = createFileRoute('/change-email')({ component: ChangeEmailScreen });
