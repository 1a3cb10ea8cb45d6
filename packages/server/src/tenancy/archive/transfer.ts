import { PassThrough, type Readable, type Writable } from 'node:stream';

/** Reading the next rows overlaps with writing these. */
const bufferBytes = 1024 * 1024;

/**
 * Passes an archive from its writer to its reader without a file. Both have ended when this resolves or rejects; it
 * rejects with the failure that came first.
 */
export async function transfer<Result>(
  write: (stream: Writable) => Promise<void>,
  read: (stream: Readable) => Promise<Result>,
): Promise<Result> {
  const stream = new PassThrough({ highWaterMark: bufferBytes });
  // Each side reports the failure itself.
  stream.on('error', () => undefined);
  const failures: unknown[] = [];
  const failed = (error: unknown) => {
    failures.push(error);
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  const reading = read(stream);
  await Promise.all([write(stream).catch(failed), reading.catch(failed)]);
  if (failures.length > 0) throw failures[0];
  return await reading;
}
