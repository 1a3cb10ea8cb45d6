import { Button, Group } from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import '@mantine/dates/styles.css';
import dayjs from 'dayjs';
import { X } from 'lucide-react';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { truncateMiddle, words } from '../../lib/text.ts';
import { actorTypes } from './actors.ts';
import { type AuditSearch, auditFilterNames } from './search.ts';

const dayFormat = 'D MMM YYYY';
/** The filters that only a link sets: one person, one object, one request. */
const linkedIds = { actor_id: 'Actor', resource_id: 'Object', request_id: 'Request' } as const;
const linkedIdNames = ['actor_id', 'resource_id', 'request_id'] as const;
const noFilters = Object.fromEntries(auditFilterNames.map((name) => [name, undefined]));

interface AuditFiltersProps {
  readonly events: readonly string[];
  readonly resourceTypes: readonly string[];
  readonly actorLabels: Readonly<Record<(typeof actorTypes)[number], string>>;
  readonly search: AuditSearch;
  readonly isFiltered: boolean;
  readonly change: (changes: Partial<Record<keyof AuditSearch, string | undefined>>) => unknown;
}

/** The filters above a list of audit records. */
export function AuditFilters(props: AuditFiltersProps) {
  const { events, resourceTypes, actorLabels, search, isFiltered, change } = props;
  const present = linkedIdNames.filter((name) => search[name] !== undefined);
  return (
    <>
      <FilterBar isFiltered={isFiltered} onReset={() => void change(noFilters)}>
        <SelectFilter
          label="Event"
          options={events.map((code) => ({ value: code, label: words(code) }))}
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
          options={resourceTypes}
          value={search.resource_type}
          onChange={(resource_type) => void change({ resource_type })}
          isSearchable
        />
        <DayFilter label="From" value={search.from} onChange={(from) => void change({ from })} />
        <DayFilter label="To" value={search.to} onChange={(to) => void change({ to })} />
      </FilterBar>
      {present.length > 0 && (
        <Group gap={8}>
          {present.map((name) => (
            <Button
              key={name}
              size="compact-sm"
              variant="default"
              rightSection={<X size={13} aria-hidden="true" />}
              onClick={() => void change({ [name]: undefined })}
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

interface DayFilterProps {
  readonly label: string;
  /** A day such as `2026-11-20`, in the reader's time zone. */
  readonly value: string | undefined;
  readonly onChange: (day: string | undefined) => void;
}

function DayFilter({ label, value, onChange }: DayFilterProps) {
  return (
    <DatePickerInput
      // The name contains the day that the button shows.
      aria-label={value === undefined ? label : `${label} ${dayjs(value).format(dayFormat)}`}
      placeholder={label}
      value={value ?? null}
      onChange={(day) => onChange(day ?? undefined)}
      valueFormat={dayFormat}
      size="sm"
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      w={{ base: 'calc(50% - 4px)', xs: 148 }}
    />
  );
}
