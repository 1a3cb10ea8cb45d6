import fastify from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { openApiRoute } from './openapi-route.ts';

type Parts = Readonly<Record<string, Readonly<Record<string, object>>>>;
type Operations = Readonly<
  Record<string, Readonly<Record<string, { operationId: string; tags: string[]; security: object[] }>>>
>;
interface Document {
  readonly info: object;
  readonly servers: object[];
  readonly tags: { readonly name: string }[];
  readonly paths: Operations;
  readonly components: Parts;
}

const server = { url: 'https://licenses.example.com', description: 'This service, at its `PUBLIC_URL`.' };

let whole: Document;
let part: Document;
let compressedBytes: number;

beforeAll(async () => {
  const app = fastify();
  openApiRoute(app, server.url);
  whole = (await app.inject('/openapi.json')).json();
  part = (await app.inject('/openapi-integration.json')).json();
  const compressed = await app.inject({
    url: '/openapi-integration.json',
    headers: { 'accept-encoding': 'br' },
  });
  compressedBytes = compressed.rawPayload.length;
  await app.close();
});

const operationsOf = ({ paths }: Document) => Object.values(paths).flatMap((item) => Object.values(item));

describe('the OpenAPI document of the Integration API', () => {
  it('has the operations of shipped software, as the whole document has them, and no other', () => {
    expect(operationsOf(part).map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['validateLicense', 'activateLicense', 'issueCertificate', 'reportUsage', 'getJwks']),
    );
    for (const [path, item] of Object.entries(part.paths)) expect(item).toEqual(whole.paths[path]);
    const tagged = operationsOf(whole).filter(({ tags }) => tags.includes('Integration'));
    expect(operationsOf(part)).toEqual(tagged);
    expect(part.tags.map(({ name }) => name)).toEqual(['Integration']);
    expect([whole.servers, part.servers]).toEqual([[server], [server]]);
  });

  it('contains every component that it refers to, unchanged, and none that it does not use', () => {
    const text = JSON.stringify(part);
    const used = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, name]) => name));
    const { securitySchemes = {}, ...others } = part.components;
    const contained = Object.entries(others).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `${kind}/${name}`),
    );
    expect([...used].sort()).toEqual(contained.sort());
    for (const [kind, parts] of Object.entries(part.components)) expect(whole.components[kind]).toMatchObject(parts);
    expect(Object.keys(securitySchemes)).toEqual(['apiKey']);
    expect(contained.length).toBeLessThan(75);
  });

  it('is at most a quarter of the limit of the whole document', () => {
    expect(compressedBytes).toBeLessThan(20_000);
  });
});
