import { useContext } from 'react';
import {
  formatDate,
  formatDateTime,
  formatExact,
  formatLastDay,
  formatRelative,
  formatRelativeEnd,
  formatWhen,
} from '../lib/time.ts';
import { TimeZoneContext } from '../shell/surface-context.ts';
import { Dimmed } from './Texts.tsx';
import { useHoverTooltip } from './use-hover-tooltip.tsx';

interface TimeTextProps {
  /** A timestamp of the API; null shows `fallback`. */
  readonly value: string | null | undefined;
  /**
   * `relative`: "in 3 days"; `when`: the same within a sentence; `date`: the day; `time`: to the minute. Of an end: `end` and
   * `last-day`.
   */
  readonly format?: keyof typeof formats;
  readonly fallback?: string;
}

const formats = {
  relative: formatRelative,
  end: formatRelativeEnd,
  when: formatWhen,
  date: formatDate,
  'last-day': formatLastDay,
  time: formatDateTime,
};

/** A time in the reader's time zone. On hover and focus it shows the time to the second, in the tenant's zone as well. */
export function TimeText({ value, format = 'time', fallback = '—' }: TimeTextProps) {
  if (value === null || value === undefined) {
    return <Dimmed>{fallback}</Dimmed>;
  }
  return <KnownTime value={value} format={format} />;
}

function KnownTime({ value, format }: { readonly value: string; readonly format: keyof typeof formats }) {
  const timeZone = useContext(TimeZoneContext) ?? 'UTC';
  const [target, tooltip] = useHoverTooltip<HTMLTimeElement>(() => {
    const [exact, there] = [formatExact(value), formatExact(value, timeZone)];
    return (
      <>
        <div>{exact}</div>
        {there !== exact && <div>{`${there} (${timeZone})`}</div>}
      </>
    );
  });
  return (
    <>
      <time {...target} dateTime={value} className="tabular" style={{ whiteSpace: 'nowrap' }}>
        {formats[format](value)}
      </time>
      {tooltip}
    </>
  );
}
