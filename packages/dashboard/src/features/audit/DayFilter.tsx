import { DatePickerInput } from '@mantine/dates';
import '@mantine/dates/styles.css';
import dayjs from 'dayjs';

const dayFormat = 'D MMM YYYY';

interface DayFilterProps {
  readonly label: string;
  /** A day such as `2026-11-20`. */
  readonly value: string | undefined;
  readonly onChange: (day: string | undefined) => void;
}

/** A filter by a day in the reader's time zone. */
export function DayFilter({ label, value, onChange }: DayFilterProps) {
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
