import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** The browser draws the progress between two parts, and never has a whole installer in its memory. */
const partBytes = 4 * 1024 * 1024;

/**
 * Returns the SHA-256 of a file in hexadecimal digits. The browser's own digest needs the whole file in memory, reports no
 * progress, and is absent on a page without TLS.
 */
export async function digestOf(file: Blob, onProgress: (share: number) => void): Promise<string> {
  const hash = sha256.create();
  for (let start = 0; start < file.size; start += partBytes) {
    const end = Math.min(start + partBytes, file.size);
    hash.update(new Uint8Array(await file.slice(start, end).arrayBuffer()));
    onProgress(end / file.size);
  }
  return bytesToHex(hash.digest());
}
