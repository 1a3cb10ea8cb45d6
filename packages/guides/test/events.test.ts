import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from './support/service.ts';

test('the page of webhooks lists every type of event of the document, and no other', () => {
  const document = JSON.parse(readFileSync(join(repositoryRoot, 'openapi.json'), 'utf8'));
  const page = readFileSync(join(repositoryRoot, 'packages', 'guides', 'pages', 'webhooks.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \|/gm)].map(([, type]) => type);
  expect(listed).toEqual(document.components.schemas.EventType.enum);
});
