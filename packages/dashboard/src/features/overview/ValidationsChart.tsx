import { Box, Center, SegmentedControl, Text } from '@mantine/core';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { Section } from '../../components/Section.tsx';
import { type RangeName, rangeNames, ranges } from './search.ts';
import type { VerdictSeries } from './verdict-series.ts';

interface ValidationsChartProps {
  readonly validations: VerdictSeries;
  readonly range: RangeName;
  /** Whether the figures still belong to another range. */
  readonly isLoading: boolean;
  readonly onRange: (range: RangeName) => void;
}

const heightPx = 260;

/** The validations of a range by the code of their verdict. */
export function ValidationsChart({ validations, range, isLoading, onRange }: ValidationsChartProps) {
  const { points, series, total } = validations;
  return (
    <Section
      title="Validations"
      description="How the service answered your applications, by the code of the verdict."
      actions={
        <SegmentedControl
          aria-label="Range"
          size="xs"
          value={range}
          data={rangeNames.map((value) => ({ value, label: ranges[value].label }))}
          onChange={(value) => onRange(rangeNames.find((name) => name === value) ?? range)}
        />
      }
    >
      <Box aria-busy={isLoading} opacity={isLoading ? 0.6 : 1} mih={heightPx}>
        {total === 0 ? (
          <Center h={heightPx}>
            <Text c="dimmed" size="md" ta="center" maw={380}>
              Nothing was validated in this time. Each call of your applications appears here within a second.
            </Text>
          </Center>
        ) : (
          <TimeChart
            label="Validations by verdict"
            points={points}
            series={series}
            interval={ranges[range].interval}
            height={heightPx}
          />
        )}
      </Box>
    </Section>
  );
}
