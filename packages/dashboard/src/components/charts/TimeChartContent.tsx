import '@mantine/charts/styles.css';
import { AreaChart, BarChart } from '@mantine/charts';
import { formatDate, formatDateTime, formatUtcDay } from '../../lib/time.ts';

/** One line or bar of the chart. */
export interface TimeSeries {
  /** The property of the points. */
  readonly name: string;
  readonly label: string;
  /** A Mantine colour such as `teal.6`. */
  readonly color: string;
}

/** One moment: `start` is the beginning of its interval, the other properties are counts. */
export interface TimePoint {
  readonly start: string;
  readonly [series: string]: string | number;
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
}

/** The table has the figures for keyboards and screen readers, so the picture takes no focus. */
const withoutFocus = { accessibilityLayer: false } as const;

/** Most days of the API begin at midnight UTC; those of usage begin in the tenant's zone, which is mostly the reader's. */
const dayOf = (start: string) => (/T00:00:00(\.0+)?Z$/.test(start) ? formatUtcDay(start) : formatDate(start));

const decimal = (value: number) => value.toLocaleString();

/** The chart itself, in a chunk of its own. */
export default function TimeChartContent(props: TimeChartProps) {
  const { label, points, series, interval, kind = 'bar', height = 240, formatValue = decimal } = props;
  const nameOf = interval === 'day' ? dayOf : formatDateTime;
  const data: (TimePoint & { readonly at: string })[] = points.map((point) => ({ ...point, at: nameOf(point.start) }));
  const Chart = kind === 'bar' ? BarChart : AreaChart;
  return (
    <figure style={{ margin: 0 }}>
      <div aria-hidden="true">
        <Chart
          h={height}
          data={data}
          dataKey="at"
          type="stacked"
          series={series.map((one) => ({ ...one }))}
          withLegend={series.length > 1}
          valueFormatter={formatValue}
          tickLine="none"
          gridAxis="x"
          {...(kind === 'area'
            ? { curveType: 'monotone', withDots: false, areaChartProps: withoutFocus }
            : { maxBarWidth: 24, barChartProps: withoutFocus })}
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
