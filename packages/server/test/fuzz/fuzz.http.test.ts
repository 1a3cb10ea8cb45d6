import { test } from 'vitest';
import { groups, timeLimitMs, useFuzzing } from './every-route.ts';

const fuzzGroup = useFuzzing(6);

test.each(groups)(
  'no request to $group breaks the service, its conventions, its document or its access rules',
  fuzzGroup,
  timeLimitMs,
);
