// Writes the sources of the SDKs that come from openapi.json, from messages.json and from the modules of the Python SDK for
// event loops. They are not in git: `node scripts/sdk-sources.mjs` runs this.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateGoManagement } from './generate-go-management.ts';
import { generatePythonCodes } from './generate-python-codes.ts';
import { generatePythonManagement } from './generate-python-management.ts';
import { generateTypes } from './generate-types.ts';
import { generateMessages, readMessages } from './messages.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { synchronousModule } from './synchronous-python.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const python = 'sdks/python/src/licensing_sdk';
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const document: OpenApiDocument = JSON.parse(textOf('openapi.json'));

const written = {
  'packages/sdk/src/api-types.ts': generateTypes(document),
  [`${python}/codes.py`]: generatePythonCodes(document),
  ...generatePythonManagement(document),
  ...generateGoManagement(document),
  ...generateMessages(readMessages()),
};
for (const [path, text] of Object.entries(written)) write(path, text);

for (const [name, source] of Object.entries({
  'client.py': 'async_client.py',
  'management.py': 'async_management.py',
  '_guard_calls.py': '_async_guard_calls.py',
  '_resource_base.py': '_async_resource_base.py',
  '_resources.py': '_async_resources.py',
})) {
  write(`${python}/${name}`, synchronousModule(source, textOf(`${python}/${source}`)));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
