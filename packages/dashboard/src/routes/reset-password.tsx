import { createFileRoute } from '@tanstack/react-router';
import { ResetPasswordScreen } from '../features/identity/ResetPasswordScreen.tsx';

export const Route = createFileRoute('/reset-password')({ component: ResetPasswordScreen });
