import { createFileRoute } from '@tanstack/react-router';
import { AuditLogScreen } from '../../../features/audit/AuditScreens.tsx';
import { auditSearch } from '../../../features/audit/search.ts';

export const Route = createFileRoute('/admin/tenants/$tenantId/audit-logs')({
  validateSearch: auditSearch,
  component: AuditLogScreen,
});
