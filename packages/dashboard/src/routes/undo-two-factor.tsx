import { createFileRoute } from '@tanstack/react-router';
import { UndoTwoFactorScreen } from '../features/identity/EmailLinkScreens.tsx';

export const Route = createFileRoute('/undo-two-factor')({ component: UndoTwoFactorScreen });
