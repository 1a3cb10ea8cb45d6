// Preloaded into `serve` processes with `--import`: stores violations in the data directory, where `TestSite.remove`
// finds them even if the process is killed.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkEveryServer, violationsFile } from './response-checks.ts';

checkEveryServer(
  () =>
    ({ text }) =>
      appendFileSync(join(process.env['DATA_DIR'] ?? '.', violationsFile), `${text}\n`),
);
