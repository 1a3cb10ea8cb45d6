import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { promisify } from 'node:util';

/** What the fingerprint reads from the operating system; a test passes its own. */
export interface System {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  homeFolder(): string;
  /** Returns the text of a file. Rejects if it cannot be read. */
  readText(path: string): Promise<string>;
  exists(path: string): Promise<boolean>;
  /** Returns what a program prints. Rejects if it fails. */
  run(program: string, programArguments: readonly string[]): Promise<string>;
}

/** The operating system of this process. */
export const thisSystem: System = {
  platform: process.platform,
  env: process.env,
  homeFolder: homedir,
  readText: (path) => readFile(path, 'utf8'),
  exists: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
  async run(program, programArguments) {
    const options = { timeout: 10_000, windowsHide: true };
    return (await promisify(execFile)(program, [...programArguments], options)).stdout;
  },
};
