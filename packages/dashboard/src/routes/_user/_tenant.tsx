import { createFileRoute } from '@tanstack/react-router';
import { TenantArea } from '../../shell/TenantArea.tsx';

export const Route = createFileRoute('/_user/_tenant')({ component: TenantArea });
