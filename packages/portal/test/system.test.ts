import { expect, test } from 'vitest';
import { systemOf } from '../src/system.ts';

const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15';

test.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36', 0, 'windows'],
  [mac, 0, 'macos'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 0, 'linux'],
  // An iPad says that it is a Mac, but has a touch screen.
  [mac, 5, null],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15', 5, null],
  ['Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36', 5, null],
  ['Mozilla/5.0 (X11; CrOS x86_64 16181.61.0) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36', 0, null],
] as const)('the system of %s with %i touch points is %s', (userAgent, maxTouchPoints, system) => {
  expect(systemOf({ userAgent, maxTouchPoints })).toBe(system);
});
