import { createFileRoute } from '@tanstack/react-router';
import { SingleSignOnScreen } from '../features/identity/SingleSignOnScreen.tsx';

export const Route = createFileRoute('/single-sign-on')({ component: SingleSignOnScreen });
