import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config/config.ts';

const lineWidth = 120;

/** Formats JSON with every array and object on one line that fits there, so that the document is short and readable. */
function format(value: unknown, column: number, indent: string): string {
  const text = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || column + text.length <= lineWidth) return text;
  const inner = `${indent} `;
  const [open, close, lines] = Array.isArray(value)
    ? ['[', ']', value.map((item) => format(item, inner.length, inner))]
    : ['{', '}', Object.entries(value).map(([name, item]) => property(name, item, inner))];
  return `${open}\n${lines.map((line) => inner + line).join(',\n')}\n${indent}${close}`;
}

function property(name: string, value: unknown, indent: string): string {
  const start = `${JSON.stringify(name)}: `;
  return start + format(value, indent.length + start.length, indent);
}

/** Writes the OpenAPI document that the service serves to standard output, with line breaks. */
const dataDir = mkdtempSync(join(tmpdir(), 'licensing-openapi-'));
try {
  const app = await buildApp(loadConfig({ DATA_DIR: dataDir }), { logger: pino({ level: 'silent' }) });
  const { statusCode, body } = await app.http.inject('/openapi.json');
  if (statusCode !== 200) throw new Error(`GET /openapi.json failed: ${body}`);
  process.stdout.write(`${format(JSON.parse(body), 0, '')}\n`);
  await app.close();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
