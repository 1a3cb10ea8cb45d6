import { createFileRoute } from '@tanstack/react-router';
import { PlatformAuditScreen } from '../../../features/audit/AuditScreens.tsx';
import { auditSearch } from '../../../features/audit/search.ts';

export const Route = createFileRoute('/admin/_platform/audit')({
  validateSearch: auditSearch,
  component: PlatformAuditScreen,
});
