import { createFileRoute } from '@tanstack/react-router';
import { RegisterScreen } from '../features/identity/RegisterScreen.tsx';

export const Route = createFileRoute('/register')({ component: RegisterScreen });
