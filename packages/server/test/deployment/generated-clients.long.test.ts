import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../../..');
const document = join(root, 'openapi.json');
const codegen = join(root, 'tools/codegen');

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}

const { paths, components } = JSON.parse(readFileSync(document, 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.values(item).map((operation) => ({ path, ...operation })),
);
const schemaNames = Object.keys(components.schemas);

let folder: string;

function run(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? '' : `${args.join(' ')}\n${stdout}${stderr}`;
}

const generated = (path: string) => readFileSync(join(folder, path), 'utf8');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'licensing-clients-'));
  expect(run(join(codegen, 'generate.mjs'), document, folder)).toBe('');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('openapi.json', () => {
  test('names every operation as a function, and every operation for admins with the prefix admin', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(?:[A-Z][a-z0-9]*)*$/);
    for (const { path, operationId } of operations) {
      expect(/^admin[A-Z]/.test(operationId), operationId).toBe(path.startsWith('/api/v1/admin/'));
    }
  });

  test('lists the statuses of every operation one by one', () => {
    for (const { operationId, responses } of operations) {
      for (const status of Object.keys(responses)) expect(status, operationId).toMatch(/^[2345]\d\d$/);
    }
  });

  test('declares the security of every operation, because generators do not inherit it', () => {
    expect(operations.filter(({ security }) => security === undefined)).toEqual([]);
  });
});

describe('clients that @hey-api/openapi-ts, openapi-typescript and orval generate from openapi.json', () => {
  test('compile with tsc --strict', () => {
    const settings = { extends: join(codegen, 'tsconfig.json'), include: ['*/**/*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    expect(run(join(root, 'node_modules/typescript/bin/tsc'), '-p', folder)).toBe('');
  });

  test('have a function for every operation, by its id', () => {
    const [sdk, orval, types] = ['openapi-ts/sdk.gen.ts', 'orval/client.ts', 'openapi-typescript/schema.ts'].map(
      generated,
    );
    for (const { operationId } of operations) {
      expect(sdk).toContain(`export const ${operationId} = `);
      expect(orval).toContain(`export const ${operationId} = async`);
      expect(types).toContain(`    ${operationId}: {`);
    }
  });

  test('have one type for every named schema, and no numbered copies', () => {
    const [heyApi = '', orval = ''] = ['openapi-ts/types.gen.ts', 'orval/client.ts'].map(generated);
    for (const name of schemaNames) {
      expect(heyApi).toMatch(new RegExp(`^export type ${name}\\b`, 'm'));
      for (const text of [heyApi, orval])
        expect(text).not.toMatch(new RegExp(`^export (?:type|interface|const) ${name}\\d\\b`, 'm'));
    }
  });
});
