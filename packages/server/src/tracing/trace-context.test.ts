import { describe, expect, test } from 'vitest';
import { continueTrace, formatTraceparent, parseTraceparent } from './trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('traceparent', () => {
  test('of version 00 is parsed and formatted', () => {
    const header = `00-${traceId}-${spanId}-01`;
    const context = parseTraceparent(header);
    expect(context).toEqual({ traceId, spanId, flags: '01' });
    expect(context && formatTraceparent(context)).toBe(header);
  });

  test('of a later version is parsed, with and without further fields', () => {
    for (const end of ['', '-', '-further']) {
      expect(parseTraceparent(`cc-${traceId}-${spanId}-00${end}`), end).toEqual({ traceId, spanId, flags: '00' });
    }
  });

  test.each([
    ['absent', undefined],
    ['empty', ''],
    ['of the forbidden version ff', `ff-${traceId}-${spanId}-01`],
    ['of version 00 with further fields', `00-${traceId}-${spanId}-01-further`],
    ['of a later version with further characters', `cc-${traceId}-${spanId}-01further`],
    ['with an empty trace', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['with an empty parent', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['in upper case', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['with a short trace', `00-${traceId.slice(1)}-${spanId}-01`],
    ['sent twice, which Node joins with a comma', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
    ['of several values', [`00-${traceId}-${spanId}-01`]],
    ['with a line end', `00-${traceId}-${spanId}-01\n`],
  ])('%s is ignored', (_name, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  test('of an operation of the service has the trace and the flags of the caller, and an id of its own', () => {
    const context = continueTrace({ traceId, spanId, flags: '01' });
    expect(context).toMatchObject({ traceId, flags: '01' });
    expect(context.spanId).toMatch(/^[\da-f]{16}$/);
    expect(context.spanId).not.toBe(spanId);
  });
});
