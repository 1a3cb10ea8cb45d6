import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { type AuditFilters, auditLogsQuery, exportAuditLogs } from '../../api/audit-logs.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ExportMenu } from '../../components/ExportMenu.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { words } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { AuditTable } from './AuditTable.tsx';
import { actorTypes } from './actors.ts';
import { DayFilter } from './DayFilter.tsx';
import { dayRange } from './day-range.ts';
import { adminEvent, tenantEvents, tenantResourceTypes } from './events.ts';
import { IdFilters } from './IdFilters.tsx';
import { type AuditSearch, auditSearch } from './search.ts';

const actorLabels = { user: 'People and tokens', admin: 'Platform admins', api_key: 'API keys', system: 'The service' };

/** Returns the service's filters for the search parameters. */
function filtersOf({ from, to, event, ...rest }: AuditSearch): AuditFilters {
  return {
    ...rest,
    // Changes by admins of the platform have codes of their own.
    ...(event !== undefined && { event: rest.actor_type === 'admin' ? adminEvent(event) : event }),
    ...dayRange({ from, to }),
  };
}

const noFilters = {
  event: undefined,
  actor_type: undefined,
  actor_id: undefined,
  resource_type: undefined,
  resource_id: undefined,
  request_id: undefined,
  from: undefined,
  to: undefined,
};

/** The audit log of a tenant: who changed what, and when. */
export function AuditLogScreen() {
  const surface = useSurface();
  const [search, change] = useFilters(auditSearch);
  const filters = filtersOf(search);
  const { cursor: _cursor, limit: _limit, ...exported } = filters;
  const query = useQuery(auditLogsQuery(surface, filters));
  const isFiltered = Object.keys(search).some((name) => name !== 'cursor');
  return (
    <Page
      title="Audit log"
      description="Every change to this tenant, with the person or the key that made it. Records cannot be changed."
      actions={
        <ExportMenu
          what="records"
          fileName="audit-logs"
          isFiltered={isFiltered}
          run={(format) => exportAuditLogs(surface, { ...exported, format })}
        />
      }
    >
      <FilterBar isFiltered={isFiltered} onReset={() => void change(noFilters)}>
        <SelectFilter
          label="Event"
          options={tenantEvents.map((code) => ({ value: code, label: words(code) }))}
          value={search.event}
          onChange={(event) => void change({ event })}
          isSearchable
        />
        <SelectFilter
          label="Actor"
          options={actorTypes.map((type) => ({ value: type, label: actorLabels[type] }))}
          value={search.actor_type}
          onChange={(actor_type) => void change({ actor_type })}
        />
        <SelectFilter
          label="Resource"
          options={tenantResourceTypes}
          value={search.resource_type}
          onChange={(resource_type) => void change({ resource_type })}
          isSearchable
        />
        <DayFilter label="From" value={search.from} onChange={(from) => void change({ from })} />
        <DayFilter label="To" value={search.to} onChange={(to) => void change({ to })} />
      </FilterBar>
      <IdFilters search={search} onRemove={(name) => void change({ [name]: undefined })} />
      {search.event !== undefined && search.actor_type === undefined && (
        <Text size="sm" c="dimmed">
          Changes by admins of the platform are separate events. Choose “Platform admins” to see them.
        </Text>
      )}
      <AuditTable
        query={query}
        empty={
          isFiltered ? (
            <EmptyState title="No such changes" description="No record matches the filters." />
          ) : (
            <EmptyState icon={ScrollText} title="No records" description="Changes to this tenant appear here." />
          )
        }
      />
    </Page>
  );
}
