import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { requestLogOf } from './request-log.ts';

function recordedLogger(level: string) {
  const lines: string[] = [];
  return { lines, logger: pino({ level }, { write: (line: string) => void lines.push(line) }) };
}

test.each([
  ['POST', '/api/v1/licenses/:key', 'abc-1._', 200, 0.25],
  ['GET', 'unmatched', '019acb7e-0000-7000-8000-000000000000', 404, 1234.5678],
])('the line of a request is the one that the logger itself would write: %s %s', (method, route, id, status, ms) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const { lines, logger } = recordedLogger('info');
    requestLogOf(logger, { method, route })(id, status, ms);
    const fields = { method, route, request_id: id, status, duration_ms: ms };
    logger.info(fields, 'request finished');
    expect(lines[0]).toBe(lines[1]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 30, pid: process.pid, ...fields });
  } finally {
    vi.useRealTimers();
  }
});

test('no request is logged above level info', () => {
  const { lines, logger } = recordedLogger('warn');
  requestLogOf(logger, { method: 'GET', route: '/' })('id', 200, 1);
  expect(lines).toEqual([]);
});
