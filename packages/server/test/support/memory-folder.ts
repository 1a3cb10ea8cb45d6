import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const sharedMemory = '/dev/shm';
/** More than all databases of a run. Containers have 64 MiB of shared memory unless told otherwise. */
const neededBytes = 8 * 2 ** 30;

function freeSharedMemory(): number {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory);
    return Math.min(bavail * bsize, process.availableMemory());
  } catch {
    // Another system than Linux.
    return 0;
  }
}

/**
 * Returns the folder for databases that no test expects to survive a power failure: in memory if there is enough, because
 * every commit to a disk waits for it, else the folder of temporary files.
 */
export function memoryFolder(): string {
  return freeSharedMemory() >= neededBytes ? sharedMemory : tmpdir();
}
