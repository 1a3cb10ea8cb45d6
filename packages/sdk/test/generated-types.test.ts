import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateGoManagement } from '../scripts/generate-go-management.ts';
import { generatePythonCodes } from '../scripts/generate-python-codes.ts';
import { generatePythonManagement } from '../scripts/generate-python-management.ts';
import { generateTypes } from '../scripts/generate-types.ts';
import { generateMessages, readMessages } from '../scripts/messages.ts';

test('the committed types match openapi.json; `npm run openapi` writes them', () => {
  const document: unknown = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  const committed = readFileSync(new URL('../src/api-types.ts', import.meta.url), 'utf8');
  expect(generateTypes(document) === committed).toBe(true);
});

test('the committed codes of the Python SDK match openapi.json; `npm run openapi` writes them', () => {
  const document: unknown = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  const file = new URL('../../../sdks/python/src/licensing_sdk/codes.py', import.meta.url);
  expect(generatePythonCodes(document) === readFileSync(file, 'utf8')).toBe(true);
});

test('the committed resources of the Python SDK match openapi.json; `npm run openapi` writes them', () => {
  const document: unknown = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  const folder = new URL('../../../sdks/python/src/licensing_sdk/', import.meta.url);
  for (const [name, text] of Object.entries(generatePythonManagement(document)))
    expect(readFileSync(new URL(name, folder), 'utf8') === text, name).toBe(true);
});

test('the committed resources of the Go SDK match openapi.json; `npm run openapi` writes them', () => {
  const document: unknown = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  const folder = new URL('../../../sdks/go/', import.meta.url);
  for (const [name, text] of Object.entries(generateGoManagement(document)))
    expect(readFileSync(new URL(name, folder), 'utf8') === text, name).toBe(true);
});

test('the committed texts of every SDK match messages.json; `npm run openapi` writes them', () => {
  const root = new URL('../../../', import.meta.url);
  for (const [path, text] of Object.entries(generateMessages(readMessages())))
    expect(readFileSync(new URL(path, root), 'utf8') === text, path).toBe(true);
});
