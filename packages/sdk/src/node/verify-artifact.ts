import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { configurationError } from '../error.ts';

/**
 * Returns whether a downloaded file is the one that the vendor published: whether its SHA-256 is `sha256`, as
 * `downloadRelease` and the files of a release state it. Reads the file piece by piece. Rejects if it cannot be read.
 */
export async function verifyArtifact(file: string | URL, sha256: string): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/i.test(sha256 ?? '')) throw configurationError('`sha256` must be 64 hexadecimal characters.');
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex') === sha256.toLowerCase();
}
