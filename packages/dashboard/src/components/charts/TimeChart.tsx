import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { TimeChartProps } from './TimeChartContent.tsx';

// The chart code is 97 KB, so only screens with a chart load it, and only after their other content.
const Content = lazy(() => import('./TimeChartContent.tsx'));

/** A chart of counts over time, with the same figures as a table for screen readers. */
export function TimeChart(props: TimeChartProps) {
  return (
    <Suspense fallback={<Skeleton h={props.height ?? 240} />}>
      <Content {...props} />
    </Suspense>
  );
}
