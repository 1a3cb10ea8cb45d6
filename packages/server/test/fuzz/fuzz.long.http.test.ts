import { test } from 'vitest';
import { engine } from '../support/harness.ts';
import { enoughRequests, groups, timeLimitMs, useFuzzing } from './every-route.ts';

/** Most requests are refused before a database is asked, and on PostgreSQL the others cost four times as much. */
const fuzzGroup = useFuzzing(engine === 'sqlite' ? enoughRequests : 1);

test.each(groups)(
  'no request to $group breaks the service, its conventions, its document or its access rules',
  fuzzGroup,
  timeLimitMs,
);
