// Preloaded into `serve` processes with `--import`: stores violations in the data directory, where `TestSite.remove`
// finds them even if the process is killed.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

// The launcher of `serve` replaces itself by the program, which loads this file again. Loading the checks takes long.
const isReplaced = process.execve !== undefined && process.argv[1]?.endsWith(join('bin', 'licensing.mjs')) === true;

if (!isReplaced) {
  const { checkEveryServer, violationsFile } = await import('./response-checks.ts');
  checkEveryServer(
    () =>
      ({ text }) =>
        appendFileSync(join(process.env['DATA_DIR'] ?? '.', violationsFile), `${text}\n`),
  );
}
