import { Hint } from '../../components/Texts.tsx';
import '@mantine/dates/styles.layer.css';
import { Button, Group } from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import { useQuery } from '@tanstack/react-query';
import dayjs from 'dayjs';
import type { ReactNode } from 'react';
import {
  auditLogsQuery,
  exportAuditLogs,
  exportPlatformAudit,
  type AuditFilters as Filters,
  platformAuditQuery,
} from '../../api/audit-logs.ts';
import { allOf, ExportMenu, type FileFormat } from '../../components/ExportMenu.tsx';
import { FilterBar, SelectFilter, useFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { ScrollText, X } from '../../icons/icons.gen.ts';
import { truncateMiddle, words } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { type ListFilters, useFilters } from '../../shell/use-filters.ts';
import { AuditTable, type AuditTableProps } from './AuditTable.tsx';
import { actorTypes } from './actors.ts';
import { adminEvent, tenantEvents, tenantResourceTypes } from './events.ts';
import { platformEvents, platformResourceTypes } from './platform-events.ts';
import { type AuditSearch, auditFilterNames, auditSearch } from './search.ts';

/** Returns the start of a day in the reader's time zone, or of the day after. */
function startOfDay(day: string, daysLater = 0): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + daysLater);
  return date.toISOString();
}

/** Returns the service's filters for the search parameters. Both days are inclusive. */
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
  readonly filters: ListFilters;
  readonly note?: ReactNode;
  /** What an empty log says. */
  readonly emptyText: string;
}

function AuditPage({ description, fileName, query, exportFile, note, emptyText, ...rest }: AuditPageProps) {
  const { isFiltered } = rest.filters;
  return (
    <Page
      title="Audit log"
      description={description}
      actions={<ExportMenu what={allOf('records', isFiltered)} fileName={fileName} run={exportFile} />}
    >
      <AuditFilters {...rest} />
      {note}
      <AuditTable
        query={query}
        empty={{
          icon: ScrollText,
          title: 'No records',
          description: emptyText,
          noMatch: isFiltered && { title: 'No records match', description: 'Change the filters to see other records.' },
        }}
      />
    </Page>
  );
}

/** The audit log of a tenant: who changed what, and when. */
export function AuditLogScreen(): ReactNode {
  const surface = useSurface();
  const [search, , bar] = useFilters(auditSearch, ...auditFilterNames);
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
        holder: 'Customers in the portal',
        connection: 'Shop connections',
      }}
      search={search}
      filters={bar}
      note={
        event !== undefined &&
        actorType === undefined && (
          <Hint>Changes by admins of the platform are separate events. Choose “Platform admins” to see them.</Hint>
        )
      }
      emptyText="Changes to this tenant appear here."
    />
  );
}

/** The audit log of the platform: what admins, users and the service did outside the tenants' own data. */
export function PlatformAuditScreen(): ReactNode {
  const [search, , bar] = useFilters(auditSearch, ...auditFilterNames);
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
      actorLabels={{
        user: 'Users',
        admin: 'Admins',
        api_key: 'API keys',
        system: 'The service',
        holder: 'Customers',
        connection: 'Shop connections',
      }}
      search={search}
      filters={bar}
      emptyText="Logins and changes appear here."
    />
  );
}

const dayFormat = 'D MMM YYYY';
/** The filters that only a link sets: one person, one object, one request. */
const linkedIds = { actor_id: 'Actor', resource_id: 'Object', request_id: 'Request' } as const;
const linkedIdNames = ['actor_id', 'resource_id', 'request_id'] as const;

interface AuditFiltersProps {
  readonly events: readonly string[];
  readonly resourceTypes: readonly string[];
  readonly actorLabels: Readonly<Record<(typeof actorTypes)[number], string>>;
  readonly search: AuditSearch;
  readonly filters: ListFilters;
}

/** The filters above a list of audit records. */
function AuditFilters(props: AuditFiltersProps) {
  const { events, resourceTypes, actorLabels, search, filters } = props;
  const present = linkedIdNames.filter((name) => search[name] !== undefined);
  return (
    <>
      <FilterBar filters={filters}>
        <SelectFilter
          name="event"
          label="Event"
          options={events.map((code) => ({ value: code, label: words(code) }))}
          isSearchable
        />
        <SelectFilter
          name="actor_type"
          label="Actor"
          options={actorTypes.map((type) => ({ value: type, label: actorLabels[type] }))}
        />
        <SelectFilter name="resource_type" label="Resource" options={resourceTypes} isSearchable />
        <DayFilter name="from" label="From" />
        <DayFilter name="to" label="To" />
      </FilterBar>
      {present.length > 0 && (
        <Group gap={8}>
          {present.map((name) => (
            <Button
              key={name}
              size="compact-sm"
              variant="default"
              rightSection={<X size={13} aria-hidden="true" />}
              onClick={() => void filters.change({ [name]: undefined })}
            >
              <span className="visually-hidden">Remove the filter </span>
              {linkedIds[name]}: {truncateMiddle(search[name] ?? '', 18)}
            </Button>
          ))}
        </Group>
      )}
    </>
  );
}

/** A filter whose value is a day such as `2026-11-20`, in the reader's time zone. */
function DayFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [value, change] = useFilter(name);
  return (
    <DatePickerInput
      // The name contains the day that the button shows.
      aria-label={value === undefined ? label : `${label} ${dayjs(value).format(dayFormat)}`}
      placeholder={label}
      value={value ?? null}
      onChange={(day) => change(day ?? undefined)}
      valueFormat={dayFormat}
      size="sm"
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      w={{ base: 'calc(50% - 4px)', xs: 148 }}
    />
  );
}
