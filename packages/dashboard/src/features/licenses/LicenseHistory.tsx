import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { auditLogsQuery } from '../../api/audit-logs.ts';
import type { License } from '../../api/licenses.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { AuditTable } from '../audit/AuditTable.tsx';

interface LicenseHistoryProps {
  readonly license: License;
  readonly cursor: string | undefined;
}

/** Every change of a license, from the audit log. */
export function LicenseHistory({ license, cursor }: LicenseHistoryProps) {
  const surface = useSurface();
  const query = useQuery(auditLogsQuery(surface, { resource_id: license.id, ...(cursor !== undefined && { cursor }) }));
  return (
    <AuditTable
      query={query}
      empty={
        <Text p="md" size="md" c="dimmed">
          The audit log has no record of this license any more.
        </Text>
      }
    />
  );
}
