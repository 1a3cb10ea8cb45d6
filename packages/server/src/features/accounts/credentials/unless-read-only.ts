import { isUnavailable } from '../../../db/errors.ts';

/**
 * Awaits a write beside a read. A database that refuses writes, as on a full disk, must not refuse reads too: its failure
 * is ignored, and a later use of the credential writes again. Throws every other failure.
 */
export async function unlessReadOnly(write: Promise<void>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
  });
}
