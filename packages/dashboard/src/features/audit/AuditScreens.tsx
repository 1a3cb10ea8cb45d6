import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  auditLogsQuery,
  exportAuditLogs,
  exportPlatformAudit,
  type AuditFilters as Filters,
  platformAuditQuery,
} from '../../api/audit-logs.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ExportMenu, type FileFormat } from '../../components/ExportMenu.tsx';
import { Page } from '../../components/Page.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { AuditFilters } from './AuditFilters.tsx';
import { AuditTable, type AuditTableProps } from './AuditTable.tsx';
import { adminEvent, tenantEvents, tenantResourceTypes } from './events.ts';
import { platformEvents, platformResourceTypes } from './platform-events.ts';
import { type AuditSearch, auditSearch } from './search.ts';

/** Returns the start of a day in the reader's time zone, or of the day after. */
function startOfDay(day: string, daysLater = 0): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + daysLater);
  return date.toISOString();
}

/** Returns the service's filters for the search parameters, whose days are both inclusive. */
function filtersOf({ from, to, ...rest }: AuditSearch): Filters {
  return {
    ...rest,
    ...(from !== undefined && { from: startOfDay(from) }),
    ...(to !== undefined && { to: startOfDay(to, 1) }),
  };
}

interface AuditPageProps extends Pick<Parameters<typeof AuditFilters>[0], 'events' | 'resourceTypes' | 'actorLabels'> {
  readonly description: string;
  readonly fileName: string;
  readonly query: AuditTableProps['query'];
  readonly exportFile: (format: FileFormat) => Promise<Blob>;
  readonly search: AuditSearch;
  readonly change: ReturnType<typeof useFilters<AuditSearch>>[1];
  readonly note?: ReactNode;
  /** What an empty log says. */
  readonly emptyText: string;
}

function AuditPage({ description, fileName, query, exportFile, note, emptyText, ...filters }: AuditPageProps) {
  const isFiltered = Object.keys(filters.search).some((name) => name !== 'cursor');
  return (
    <Page
      title="Audit log"
      description={description}
      actions={<ExportMenu what="records" fileName={fileName} isFiltered={isFiltered} run={exportFile} />}
    >
      <AuditFilters {...filters} isFiltered={isFiltered} />
      {note}
      <AuditTable
        query={query}
        empty={
          isFiltered ? (
            <EmptyState title="No such changes" description="No record matches the filters." />
          ) : (
            <EmptyState icon={ScrollText} title="No records" description={emptyText} />
          )
        }
      />
    </Page>
  );
}

/** The audit log of a tenant: who changed what, and when. */
export function AuditLogScreen(): ReactNode {
  const surface = useSurface();
  const [search, change] = useFilters(auditSearch);
  const { event, actor_type: actorType } = search;
  // Changes by admins of the platform have codes of their own.
  const isByAdmin = event !== undefined && actorType === 'admin';
  const filters = filtersOf(isByAdmin ? { ...search, event: adminEvent(event) } : search);
  const { cursor: _cursor, ...exported } = filters;
  return (
    <AuditPage
      description="Every change to this tenant, with the person or the key that made it. Records cannot be changed."
      fileName="audit-logs"
      query={useQuery(auditLogsQuery(surface, filters))}
      exportFile={(format) => exportAuditLogs(surface, { ...exported, format })}
      events={tenantEvents}
      resourceTypes={tenantResourceTypes}
      actorLabels={{
        user: 'People and tokens',
        admin: 'Platform admins',
        api_key: 'API keys',
        system: 'The service',
      }}
      search={search}
      change={change}
      note={
        event !== undefined &&
        actorType === undefined && (
          <Text size="sm" c="dimmed">
            Changes by admins of the platform are separate events. Choose “Platform admins” to see them.
          </Text>
        )
      }
      emptyText="Changes to this tenant appear here."
    />
  );
}

/** The audit log of the platform: what admins, users and the service did outside the tenants' own data. */
export function PlatformAuditScreen(): ReactNode {
  const [search, change] = useFilters(auditSearch);
  const filters = filtersOf(search);
  const { cursor: _cursor, ...exported } = filters;
  return (
    <AuditPage
      description="Logins and every change to the platform. The changes inside a tenant are in the tenant's own log."
      fileName="platform-audit"
      query={useQuery(platformAuditQuery(filters))}
      exportFile={(format) => exportPlatformAudit({ ...exported, format })}
      events={platformEvents}
      resourceTypes={platformResourceTypes}
      actorLabels={{ user: 'Users', admin: 'Admins', api_key: 'API keys', system: 'The service' }}
      search={search}
      change={change}
      emptyText="Logins and changes appear here."
    />
  );
}
