import { createFileRoute } from '@tanstack/react-router';
import { AcceptInvitationScreen } from '../features/identity/AcceptInvitationScreen.tsx';

export const Route = createFileRoute('/accept-invitation')({ component: AcceptInvitationScreen });
