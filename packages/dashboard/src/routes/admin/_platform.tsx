import { createFileRoute } from '@tanstack/react-router';
import { PlatformArea } from '../../shell/PlatformArea.tsx';

export const Route = createFileRoute('/admin/_platform')({ component: PlatformArea });
