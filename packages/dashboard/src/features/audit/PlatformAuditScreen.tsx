import { useQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import type { ReactNode } from 'react';
import { exportPlatformAudit, platformAuditQuery } from '../../api/platform-audit.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ExportMenu } from '../../components/ExportMenu.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { words } from '../../lib/text.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { AuditTable } from './AuditTable.tsx';
import { actorTypes } from './actors.ts';
import { DayFilter } from './DayFilter.tsx';
import { dayRange } from './day-range.ts';
import { IdFilters } from './IdFilters.tsx';
import { platformEvents, platformResourceTypes } from './platform-events.ts';
import { auditSearch } from './search.ts';

const actorLabels = { user: 'Users', admin: 'Admins', api_key: 'API keys', system: 'The service' };

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

/** The audit log of the platform: what admins, users and the service did outside the tenants' own data. */
export function PlatformAuditScreen(): ReactNode {
  const [parsed, change] = useFilters(auditSearch);
  const { from, to, ...search } = parsed;
  const { cursor, ...exported } = { ...search, ...dayRange({ from, to }) };
  const query = useQuery(platformAuditQuery({ ...exported, ...(cursor !== undefined && { cursor }) }));
  const isFiltered = Object.keys(parsed).some((name) => name !== 'cursor');
  return (
    <Page
      title="Audit log"
      description="Logins and every change to the platform. The changes inside a tenant are in the tenant's own log."
      actions={
        <ExportMenu
          what="records"
          fileName="platform-audit"
          isFiltered={isFiltered}
          run={(format) => exportPlatformAudit({ ...exported, format })}
        />
      }
    >
      <FilterBar isFiltered={isFiltered} onReset={() => void change(noFilters)}>
        <SelectFilter
          label="Event"
          options={platformEvents.map((code) => ({ value: code, label: words(code) }))}
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
          options={platformResourceTypes}
          value={search.resource_type}
          onChange={(resource_type) => void change({ resource_type })}
          isSearchable
        />
        <DayFilter label="From" value={from} onChange={(day) => void change({ from: day })} />
        <DayFilter label="To" value={to} onChange={(day) => void change({ to: day })} />
      </FilterBar>
      <IdFilters search={search} onRemove={(name) => void change({ [name]: undefined })} />
      <AuditTable
        query={query}
        empty={
          isFiltered ? (
            <EmptyState title="No such changes" description="No record matches the filters." />
          ) : (
            <EmptyState icon={ScrollText} title="No records" description="Logins and changes appear here." />
          )
        }
      />
    </Page>
  );
}
