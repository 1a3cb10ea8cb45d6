import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config/config.ts';
import { documentParts } from '../src/surfaces/document-parts.ts';
import { serviceVersion } from '../src/version.ts';
import { collectRoutes } from './collect-routes.ts';

/** Writes the OpenAPI document of the routes to standard output, with line breaks. */
const dataDir = mkdtempSync(join(tmpdir(), 'licensing-openapi-'));
let makeDocument = (): object => ({});
try {
  const app = await buildApp(loadConfig({ DATA_DIR: dataDir }), {
    logger: pino({ level: 'silent' }),
    async beforeRoutes(http) {
      makeDocument = await collectRoutes(http, { version: serviceVersion, ...documentParts });
    },
  });
  process.stdout.write(`${JSON.stringify(makeDocument(), null, 2)}\n`);
  await app.close();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
