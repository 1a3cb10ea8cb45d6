import { expect, test } from 'vitest';
import { useApp } from '../support/harness.ts';

const suite = useApp();

interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: object;
}

test('every creating route of the tenant and Integration APIs documents and supports Idempotency-Key', async () => {
  const { body } = await suite.app.request({ method: 'GET', url: '/openapi.json' });
  const paths: Readonly<Record<string, { readonly post?: Operation }>> = body.paths;
  const posts = Object.entries(paths).flatMap(([path, { post }]) => (post ? [{ path, post }] : []));
  const takesKey = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'Idempotency-Key');
  // An import creates many licenses and responds with their number.
  const creates = (path: string, { responses }: Operation) => '201' in responses || path.endsWith('/import');
  const creating = posts
    .filter(({ path, post }) => /^\/api\/v1\/(tenant|integration)\//.test(path) && creates(path, post))
    .map(({ path }) => path);
  expect(creating.length).toBeGreaterThanOrEqual(5);
  for (const { post } of posts.filter((route) => takesKey(route.post))) {
    const [success = ''] = Object.keys(post.responses);
    expect(post.responses).toHaveProperty([success, 'headers', 'Idempotency-Replayed']);
  }
  const supporting = posts.filter(({ post }) => takesKey(post)).map(({ path }) => path);
  expect(supporting.filter((path) => !path.startsWith('/api/v1/admin/')).sort()).toEqual(creating.sort());
});
