// Writes the sources of the SDKs that come from openapi.json and messages.json. They are not in git:
// `node scripts/sdk-sources.mjs` runs this.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateGoManagement } from './generate-go-management.ts';
import { generatePythonCodes } from './generate-python-codes.ts';
import { generatePythonManagement } from './generate-python-management.ts';
import { generateTypes } from './generate-types.ts';
import { generateMessages, readMessages } from './messages.ts';
import type { OpenApiDocument } from './openapi-document.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const document: OpenApiDocument = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
const files = {
  'packages/sdk/src/api-types.ts': generateTypes(document),
  'sdks/python/src/licensing_sdk/codes.py': generatePythonCodes(document),
  ...generatePythonManagement(document),
  ...generateGoManagement(document),
  ...generateMessages(readMessages()),
};

for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
