import { createFileRoute } from '@tanstack/react-router';
import { loginSearch } from '../features/identity/search.ts';
import { TwoFactorScreen } from '../features/identity/TwoFactorScreen.tsx';

export const Route = createFileRoute('/two-factor')({ validateSearch: loginSearch, component: TwoFactorScreen });
