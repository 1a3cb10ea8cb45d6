import { Text, Tooltip } from '@mantine/core';
import { useContext } from 'react';
import { formatDate, formatDateTime, formatExact, formatRelative } from '../lib/time.ts';
import { TimeZoneContext } from '../shell/surface-context.ts';

interface TimeTextProps {
  /** A timestamp of the API; null shows `fallback`. */
  readonly value: string | null | undefined;
  /** `relative`: "in 12 days"; `date`: the day; `time`: to the minute. */
  readonly format?: 'relative' | 'date' | 'time';
  readonly fallback?: string;
}

const formats = { relative: formatRelative, date: formatDate, time: formatDateTime };

/** A time in the reader's time zone. On hover and focus it shows the time to the second, in the tenant's zone as well. */
export function TimeText({ value, format = 'time', fallback = '—' }: TimeTextProps) {
  const timeZone = useContext(TimeZoneContext) ?? 'UTC';
  if (value === null || value === undefined) {
    return (
      <Text span inherit c="dimmed">
        {fallback}
      </Text>
    );
  }
  const exact = formatExact(value);
  const there = formatExact(value, timeZone);
  return (
    <Tooltip
      multiline
      label={
        <>
          <div>{exact}</div>
          {there !== exact && <div>{`${there} (${timeZone})`}</div>}
        </>
      }
    >
      <time dateTime={value} className="tabular" style={{ whiteSpace: 'nowrap' }}>
        {formats[format](value)}
      </time>
    </Tooltip>
  );
}
