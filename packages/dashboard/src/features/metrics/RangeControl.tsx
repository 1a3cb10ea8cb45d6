import { SegmentedControl } from '@mantine/core';
import { type Range, rangeNames, ranges } from '../../api/metrics.ts';

interface RangeControlProps {
  readonly value: Range;
  readonly onChange: (range: Range) => void;
}

const data = rangeNames.map((name) => ({ value: name, label: ranges[name].label }));

/** Chooses the period that charts show, which ends now. */
export function RangeControl({ value, onChange }: RangeControlProps) {
  return <SegmentedControl aria-label="Period" size="xs" data={data} value={value} onChange={onChange} />;
}
