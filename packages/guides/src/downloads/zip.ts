import { type Zippable, zipSync } from 'fflate';

/**
 * Returns a zip of files by their names. Every file has the same time, so that the same sources are the same zip. The
 * format has local times.
 */
export function zip(files: ReadonlyMap<string, string | Buffer>): Buffer {
  const entries: Zippable = Object.fromEntries([...files].map(([name, content]) => [name, Buffer.from(content)]));
  return Buffer.from(zipSync(entries, { level: 9, mtime: new Date(1980, 0, 1) }));
}
