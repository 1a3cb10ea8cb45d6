import { createFileRoute } from '@tanstack/react-router';
import { VerifyEmailScreen } from '../features/identity/VerifyEmailScreen.tsx';

export const Route = createFileRoute('/verify-email')({ component: VerifyEmailScreen });
