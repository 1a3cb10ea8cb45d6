import { test } from 'vitest';
import { enoughRequests, groups, timeLimitMs, useFuzzing } from './every-route.ts';

const fuzzGroup = useFuzzing(enoughRequests);

test.each(groups)('random requests to $group reach every handler, and none breaks the service', fuzzGroup, timeLimitMs);
