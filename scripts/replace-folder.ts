import { existsSync, renameSync, rmSync } from 'node:fs';

/** Replaces `finished` with `unfinished` by renaming, so that a process that serves its files finds a complete folder. */
export function replaceFolder(finished: string, unfinished: string): void {
  const former = `${unfinished}-former`;
  rmSync(former, { recursive: true, force: true });
  if (existsSync(finished)) renameSync(finished, former);
  renameSync(unfinished, finished);
  rmSync(former, { recursive: true, force: true });
}
