import { PassThrough } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isReceiving, receiveBody } from './streamed-body.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An upload that the test sends itself. */
function upload(headers: Record<string, string> = {}) {
  const body = new PassThrough();
  const socket = {};
  const raw = { socket, destroy: vi.fn() };
  const request = { body, headers, raw } as unknown as FastifyRequest;
  const chunks: string[] = [];
  const receive = (limitBytes = 1_000_000, onChunk = (chunk: Buffer) => void chunks.push(chunk.toString())) =>
    receiveBody(request, { limitBytes, onChunk });
  return { body, socket, raw, chunks, receive };
}

const codeOf = (error: unknown) => (error as { readonly code?: string }).code;

/** Lets what was written arrive: streams hand on with the next turns of the event loop. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('a body is handed on chunk by chunk, and its connection is known to be watched meanwhile', async () => {
  const { body, socket, chunks, receive } = upload();
  const received = receive();
  body.write('one');
  await turns();
  expect([chunks, isReceiving(socket as never)]).toEqual([['one'], true]);
  body.end('two');
  await received;
  expect([chunks, isReceiving(socket as never)]).toEqual([['one', 'two'], false]);
});

describe('an upload', () => {
  test('may take as long as it likes while enough bytes come', async () => {
    const { body, receive } = upload();
    const received = receive();
    for (let window = 0; window < 20; window += 1) {
      body.write('x'.repeat(31 * 1024));
      await turns();
      vi.advanceTimersByTime(30_000);
    }
    body.end();
    await expect(received).resolves.toBeUndefined();
  });

  test.each([
    ['nothing comes', ''],
    ['next to nothing comes', 'x'],
  ])('is given up with a 408 when %s for 30 s', async (_what, sent) => {
    const { body, receive } = upload();
    const failed = receive().catch(codeOf);
    if (sent !== '') body.write(sent);
    await turns();
    vi.advanceTimersByTime(30_000);
    expect(await failed).toBe('REQUEST.TIMEOUT');
  });

  test('that is cut is a 400', async () => {
    const { body, receive } = upload();
    const failed = receive().catch(codeOf);
    body.destroy(new Error('aborted'));
    expect(await failed).toBe('REQUEST.MALFORMED');
  });

  test.each([
    ['announces more than it may', { 'content-length': '11' }, ''],
    ['sends more than it may', {}, 'x'.repeat(11)],
  ])('that %s is a 413', async (_what, headers, sent) => {
    const { body, receive } = upload(headers);
    const failed = receive(10).catch(codeOf);
    if (sent !== '') body.write(sent);
    expect(await failed).toBe('REQUEST.TOO_LARGE');
  });

  test('that is refused is read to its end so that the answer arrives, and cut after 30 s', async () => {
    const { body, raw, chunks, receive } = upload();
    const refusal = new Error('no');
    const failed = receive(1_000_000, (chunk) => {
      chunks.push(chunk.toString());
      throw refusal;
    }).catch((error: unknown) => error);
    body.write('first');
    expect(await failed).toBe(refusal);
    body.write('second');
    await turns();
    expect([chunks, body.readableLength]).toEqual([['first'], 0]);
    vi.advanceTimersByTime(30_000);
    expect(raw.destroy).toHaveBeenCalled();
  });
});
