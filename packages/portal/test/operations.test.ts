import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../server/test/architecture/source-files.ts';

/** The operations that the page does not call, with the reason. */
const uncalled: Readonly<Record<string, string>> = {
  'GET /api/v1/portal/{handle}/logo': 'an image of the page',
  'GET /api/v1/portal/{handle}/session': 'the response to a login has the same fields',
};

test('the page calls every operation of the portal, except the ones that a list excuses with a reason', () => {
  const { paths } = JSON.parse(readFileSync(join(repositoryRoot, 'openapi.json'), 'utf8')) as {
    paths: Record<string, object>;
  };
  const ofPortal = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/portal/'))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((operation) => /^(GET|POST|PUT|PATCH|DELETE) /.test(operation));
  const code = readFileSync(join(repositoryRoot, 'packages', 'portal', 'src', 'api.ts'), 'utf8');
  const called = [...code.matchAll(/\.(GET|POST)\(\s*'([^']+)'/g)].map(([, method, path]) => `${method} ${path}`);
  expect(ofPortal.length).toBeGreaterThan(10);
  expect([...called, ...Object.keys(uncalled)].sort()).toEqual(ofPortal.sort());
});
