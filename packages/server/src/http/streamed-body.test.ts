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

/** Creates an upload whose chunks the test sends. */
function upload(headers: Record<string, string> = {}) {
  const body = new PassThrough();
  const socket = {};
  const raw = { socket, destroy: vi.fn() };
  const request = { body, headers, raw } as unknown as FastifyRequest;
  const chunks: string[] = [];
  const keep = (chunk: Buffer) => void chunks.push(chunk.toString());
  const receive = (limitBytes = 1_000_000, onChunk: (chunk: Buffer) => void | Promise<void> = keep) =>
    receiveBody(request, { limitBytes, onChunk });
  return { body, socket, raw, chunks, receive };
}

const codeOf = (error: unknown) => (error as { readonly code?: string }).code;

/** Waits until written chunks have arrived; streams pass them on in later iterations of the event loop. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('a body is passed on chunk by chunk while its connection counts as receiving', async () => {
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
  test('an upload may take any time while enough bytes arrive', async () => {
    const { body, receive } = upload();
    const received = receive();
    for (let third = 0; third < 60; third += 1) {
      body.write('x'.repeat(11 * 1024));
      await turns();
      vi.advanceTimersByTime(10_000);
    }
    body.end();
    await expect(received).resolves.toBeUndefined();
  });

  test.each([
    ['nothing comes', ''],
    ['almost nothing arrives', 'x'],
  ])('an upload is aborted with a 408 when %s for 30 s', async (_what, sent) => {
    const { body, receive } = upload();
    const failed = receive().catch(codeOf);
    if (sent !== '') body.write(sent);
    await turns();
    vi.advanceTimersByTime(30_000);
    expect(await failed).toBe('REQUEST.TIMEOUT');
  });

  test('an upload that stops in the middle of a window is aborted after 30 s without a byte', async () => {
    const { body, receive } = upload();
    const failed = receive().catch(codeOf);
    await turns();
    vi.advanceTimersByTime(20_000);
    body.write('x'.repeat(31 * 1024));
    await turns();
    vi.advanceTimersByTime(10_000);
    await turns();
    vi.advanceTimersByTime(20_000);
    expect(await failed).toBe('REQUEST.TIMEOUT');
  });

  test('an upload is not aborted while the service is busy with its last chunk', async () => {
    const { body, receive } = upload();
    const busy = Promise.withResolvers<void>();
    const received = receive(1_000_000, () => busy.promise);
    body.write('x');
    await turns();
    vi.advanceTimersByTime(90_000);
    busy.resolve();
    body.end();
    await expect(received).resolves.toBeUndefined();
  });

  test('an interrupted upload gets a 400', async () => {
    const { body, receive } = upload();
    const failed = receive().catch(codeOf);
    body.destroy(new Error('aborted'));
    expect(await failed).toBe('REQUEST.MALFORMED');
  });

  test.each([
    ['announces more than the limit', { 'content-length': '11' }, ''],
    ['sends more than the limit', {}, 'x'.repeat(11)],
  ])('an upload that %s is a 413', async (_what, headers, sent) => {
    const { body, receive } = upload(headers);
    const failed = receive(10).catch(codeOf);
    if (sent !== '') body.write(sent);
    expect(await failed).toBe('REQUEST.TOO_LARGE');
  });

  test('a refused upload is read to its end so that the response arrives, and aborted after 30 s', async () => {
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
