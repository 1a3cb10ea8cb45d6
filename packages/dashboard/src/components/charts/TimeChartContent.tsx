import '@mantine/charts/styles.layer.css';
import { AreaChart, BarChart } from '@mantine/charts';
import { ColorSwatch, Group, Text } from '@mantine/core';
import { language } from '../../lib/language.ts';
import { formatNumber } from '../../lib/text.ts';
import { formatDate, formatDateTime, formatTime, formatUtcDay } from '../../lib/time.ts';
import { binned, type TimePoint, timeTicks, valueTicks } from './chart-axis.ts';

/** One line or bar of the chart. */
export interface TimeSeries {
  /** The property of the points. */
  readonly name: string;
  readonly label: string;
  /** A Mantine colour such as `teal.6`. */
  readonly color: string;
}

/** What a chart of counts over time shows. */
export interface TimeChartProps {
  /** What the chart shows, for screen readers. */
  readonly label: string;
  readonly points: readonly TimePoint[];
  readonly series: readonly TimeSeries[];
  readonly interval: 'hour' | 'day';
  readonly kind?: 'bar' | 'area';
  readonly height?: number;
  readonly formatValue?: (value: number) => string;
  /** False for shares and other values with fractions. */
  readonly isCount?: boolean;
}

/** The table has the figures for keyboards and screen readers, so the picture takes no focus. The margin keeps the top label. */
const plot = { accessibilityLayer: false, margin: { top: 10, right: 8 } } as const;

/** On a phone, the longest names would make the tooltip wider than the plot. */
const tooltipName = { overflowWrap: 'anywhere', fontSize: 'var(--mantine-font-size-xs)' } as const;
const tooltipStyle = { maxWidth: 'min(320px, calc(100vw - 130px))' } as const;

/** Most days of the API begin at midnight UTC; those of usage begin in the tenant's zone, which is mostly the reader's. */
const isUtcDay = (start: string) => /T00:00:00(\.0+)?Z$/.test(start);
const dayOf = (start: string) => (isUtcDay(start) ? formatUtcDay(start) : formatDate(start));

const shortDay = { month: 'short', day: 'numeric' } as const;

/** Returns the label of a moment on the axis, without the year, which is the same for nearly all of them. */
function axisLabel(start: string, interval: TimeChartProps['interval']): string {
  if (interval === 'hour') return formatTime(new Date(start));
  const zone = isUtcDay(start) ? { timeZone: 'UTC' } : {};
  return new Intl.DateTimeFormat(language, { ...shortDay, ...zone }).format(new Date(start));
}

/** Returns the highest sum of the series at one moment. */
function highestOf(points: readonly TimePoint[], series: readonly TimeSeries[]): number {
  return Math.max(0, ...points.map((point) => series.reduce((sum, { name }) => sum + Number(point[name] ?? 0), 0)));
}

/** The chart itself, in a chunk of its own. */
export default function TimeChartContent(props: TimeChartProps) {
  const { label, series, interval, kind = 'bar', height = 240, formatValue = formatNumber, isCount = true } = props;
  const { points, isWeekly } = kind === 'bar' ? binned(props.points) : { points: props.points, isWeekly: false };
  const nameOf = (start: string) => {
    if (interval === 'hour') return formatDateTime(start);
    return isWeekly ? `Week from ${dayOf(start)}` : dayOf(start);
  };
  const data: (TimePoint & { readonly at: string })[] = points.map((point) => ({ ...point, at: nameOf(point.start) }));
  const labels = new Map(data.map(({ at, start }) => [at, axisLabel(start, interval)]));
  const values = valueTicks(highestOf(points, series), isCount);
  const Chart = kind === 'bar' ? BarChart : AreaChart;
  return (
    <figure style={{ margin: 0 }}>
      <div aria-hidden="true">
        {series.length > 1 && <Legend series={series} />}
        <Chart
          h={height}
          data={data}
          dataKey="at"
          type="stacked"
          series={series.map((one) => ({ ...one }))}
          valueFormatter={formatValue}
          tickLine="none"
          gridAxis="x"
          styles={{ tooltip: tooltipStyle, tooltipItemName: tooltipName }}
          xAxisProps={{
            ticks: timeTicks([...labels.keys()]),
            interval: 'equidistantPreserveStart',
            tickFormatter: (at: string) => labels.get(at) ?? at,
          }}
          yAxisProps={{ ticks: values, domain: [0, values.at(-1) ?? 1], width: 56 }}
          {...(kind === 'area'
            ? { curveType: 'linear', withDots: false, areaChartProps: plot }
            : { maxBarWidth: 24, barChartProps: plot })}
        />
      </div>
      {/* A table keeps its size, so its frame is hidden instead. */}
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name, label: heading }) => (
                <th scope="col" key={name}>
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.map((point) => (
              <tr key={point.start}>
                <th scope="row">{point.at}</th>
                {series.map(({ name }) => (
                  <td key={name}>{formatValue(Number(point[name] ?? 0))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** The legend, in the order of the stack. That of the library takes its lines from the height of the plot, which a phone needs. */
function Legend({ series }: Pick<TimeChartProps, 'series'>) {
  return (
    <Group gap="xs" mb="xs" justify="flex-end">
      {series.map(({ name, label, color }) => (
        <Group key={name} gap={6} wrap="nowrap">
          <ColorSwatch size={10} withShadow={false} color={`var(--mantine-color-${color.replace('.', '-')})`} />
          <Text size="xs">{label}</Text>
        </Group>
      ))}
    </Group>
  );
}
