import { test } from 'vitest';
import { engine } from '../support/harness.ts';
import { groups, timeLimitMs, useFuzzing } from './every-route.ts';

// On PostgreSQL a request costs twice as much.
const fuzzGroup = useFuzzing(engine === 'postgres' ? 8 : 12);

test.each(groups)(
  'no request to $group breaks the service, its conventions, its document or its access rules',
  fuzzGroup,
  timeLimitMs,
);
