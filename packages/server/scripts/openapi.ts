import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config/config.ts';

/** Writes the OpenAPI document, exactly as the service serves it, to standard output. */
const dataDir = mkdtempSync(join(tmpdir(), 'licensing-openapi-'));
try {
  const app = await buildApp(loadConfig({ DATA_DIR: dataDir }), { logger: pino({ level: 'silent' }) });
  process.stdout.write(`${JSON.stringify(app.http.swagger(), null, 2)}\n`);
  await app.close();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
