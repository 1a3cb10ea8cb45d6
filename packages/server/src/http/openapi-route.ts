import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../lib/json-object.ts';
import { documentOfTag } from './openapi-part.ts';
import { precompressed } from './precompressed.ts';

const file = new URL('../../../../openapi.json', import.meta.url);
/** The address of the service in the committed document. */
export const builtAddress = 'http://127.0.0.1:3000';
/** The best one: 7 % smaller than at 9, for 1.5 s of a thread at the first request of a process. */
const brotliQuality = 11;

/**
 * Registers `GET /openapi.json`, the committed document with the `PUBLIC_URL` as its server, and
 * `GET /openapi-integration.json`, the part of it that shipped software uses. Making the document from the routes would
 * block the event loop for a second and take 60 MiB.
 */
export function openApiRoute(app: FastifyInstance, publicUrl: string): void {
  const whole = () => JSON.parse(readFileSync(file, 'utf8').replaceAll(`"${builtAddress}"`, JSON.stringify(publicUrl)));
  const serve = (url: string, build: () => JsonObject) =>
    app.get(url, {
      schema: { hide: true },
      handler: precompressed(() => JSON.stringify(build()), 'application/json', brotliQuality),
    });
  serve('/openapi.json', whole);
  serve('/openapi-integration.json', () => documentOfTag(whole(), 'Integration'));
}
