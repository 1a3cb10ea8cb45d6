import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { demoProduct } from '../../server/src/commands/demo/samples/catalog.ts';
import { errorStatus } from '../../server/src/lib/error-codes.ts';
import { sdkCodes } from '../src/errors/errors-page.ts';
import { linkResolver } from '../src/links.ts';
import { slugOf } from '../src/markdown/html.ts';
import { guideSections } from '../src/navigation.ts';
import { methods, type OpenApiDocument, operationsOf } from '../src/reference/document.ts';
import { referencePages } from '../src/reference/pages.ts';
import { requestSample } from '../src/reference/requests.ts';
import { repositoryRoot } from './support/service.ts';

const dist = join(import.meta.dirname, '..', 'dist');
const document: OpenApiDocument = JSON.parse(readFileSync(join(repositoryRoot, 'openapi.json'), 'utf8'));
// It highlights every sample, which takes a second.
const reference = referencePages(document, (text) => text);
const html = new Map(
  globSync('**/*.html', { cwd: dist }).map((path) => [
    `/docs/${path.replaceAll('\\', '/').replace(/index\.html$/, '')}`,
    readFileSync(join(dist, path), 'utf8'),
  ]),
);
const idsOf = (text: string) => [...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id ?? '');
/** Routes of the service outside the site that pages link to. */
const routes = ['/openapi.json', '/openapi-integration.json'];

const idsByUrl = new Map([...html].map(([url, text]) => [url, new Set(idsOf(text))]));

function exists({ pathname, hash }: URL): boolean {
  if (pathname.startsWith('/docs/assets/')) return existsSync(join(dist, pathname.slice('/docs/'.length)));
  const ids = idsByUrl.get(pathname);
  if (/\.(txt|md|tgz|whl|zip|gz)$/.test(pathname)) return existsSync(join(dist, pathname.slice('/docs/'.length)));
  if (ids === undefined) return routes.includes(pathname);
  return hash === '' || ids.has(decodeURIComponent(hash.slice(1)));
}

describe('the built site', () => {
  test('every link and every asset of every page exists, with its anchor', () => {
    const missing = [...html].flatMap(([url, text]) =>
      [...text.matchAll(/\b(?:href|src)="([^"]+)"/g)]
        .map(([, target = '']) => new URL(target, `http://site${url}`))
        .filter((target) => target.origin === 'http://site' && !exists(target))
        .map((target) => `${url}: ${target.pathname}${target.hash}`),
    );
    expect(missing).toEqual([]);
    expect(html.size).toBeGreaterThan(20);
  });

  test('every page has a Markdown version with its headings and its code, and without HTML', () => {
    for (const [url, text] of html) {
      if (!url.endsWith('/')) continue;
      expect(text, url).toContain(`<link rel="alternate" type="text/markdown" href="${url}index.md">`);
      const markdown = readFileSync(join(dist, url.slice('/docs/'.length), 'index.md'), 'utf8');
      const article = /<article>(.*)<\/article>/s.exec(text)?.[1] ?? '';
      const body = article.replace(/<details class="contents-inline">.*?<\/details>/s, '');
      const outsideBlocks = markdown.replace(/^```.*?^```$/gms, '');
      const outsideCode = outsideBlocks.replace(/`[^`\n]*`/g, '');
      expect(outsideBlocks.match(/^#{2,3} .+$/gm)?.length ?? 0, url).toBe(body.match(/<h[23][ >]/g)?.length ?? 0);
      expect(markdown.match(/^```\w+$/gm)?.length ?? 0, url).toBe(body.match(/<pre/g)?.length ?? 0);
      expect(outsideCode, url).not.toMatch(/<\/?[a-z]+[^>]*>|&(?:lt|gt|quot|amp|#\w+);/);
    }
  });

  test('braces of a guide reach its page', () => {
    const braces = (text: string) => text.match(/\{\{/g)?.length ?? 0;
    for (const path of globSync('**/*.md', { cwd: join(dist, '..', 'pages') })) {
      const page = html.get(`/docs/${path.replace(/(?:index)?\.md$/, '/').replace(/^\/|(?<=\/)\/$/g, '')}`);
      if (page !== undefined)
        expect(braces(page), path).toBe(braces(readFileSync(join(dist, '..', 'pages', path), 'utf8')));
    }
    expect(braces(html.get('/docs/ci/') ?? '')).toBe(3);
  });

  test('no page, README or example names another product than the `editor` of the demo', () => {
    const places = ['packages/guides/pages/**/*.md', '{packages/sdk,sdks/*,examples/*}/{README.md,*.js}'];
    const files = globSync(places, { cwd: repositoryRoot, exclude: (name) => name === 'node_modules' });
    const named = /\bproducts?(?: code=|"?[:=] *["']|", code="|\.create\(\{ code: '| [`'"])([\w-]+)/g;
    const names = files.flatMap((file) =>
      [...readFileSync(join(repositoryRoot, file), 'utf8').matchAll(named)].map(([, name]) => `${name}`),
    );
    expect(names.length).toBeGreaterThan(50);
    expect([...new Set(names)]).toEqual([demoProduct.code]);
  });

  test('llms.txt has the form of llmstxt.org, and lists every page once', () => {
    const text = readFileSync(join(dist, 'llms.txt'), 'utf8');
    const [title, summary] = text.split('\n\n');
    expect([title, summary?.startsWith('> ')]).toEqual(['# Licensing service', true]);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S.*$/gm)].map(
      ([, target = '']) => new URL(target).pathname,
    );
    expect(text.match(/^- /gm)?.length).toBe(links.length);
    const pages = [...html.keys()].filter((url) => url.endsWith('/')).map((url) => `${url}index.md`);
    expect(links.sort()).toEqual([...pages, ...routes].sort());
  });

  test('the navigation of the reference groups every page: Integration, Tenant, Portal, Account, Platform', () => {
    const { pages, sections } = reference;
    expect(sections.map(({ title }) => title)).toEqual([
      'Overview',
      'Integration',
      'Tenant',
      'Portal',
      'Account',
      'Platform',
    ]);
    expect(sections.flatMap((section) => section.pages).sort()).toEqual(pages.map(({ url }) => url).sort());
    const sidebar = /<nav id="sidebar".*?<\/nav>/s.exec(html.get('/docs/reference/licenses/') ?? '')?.[0] ?? '';
    expect([...sidebar.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, title]) => title)).toEqual(
      sections.map(({ title }) => title),
    );
  });

  test('the texts of the search contain characters, not their HTML codes', () => {
    const documents: { text: string; heading: string }[] = JSON.parse(
      readFileSync(join(dist, 'search-index.json'), 'utf8'),
    );
    const coded = documents.filter(({ text, heading }) => /&#?\w+;/.test(`${heading} ${text}`));
    expect(coded.map(({ heading }) => heading)).toEqual([]);
  });

  test('no page repeats an id, has an inline script or style, or loads anything from another host', () => {
    for (const [url, text] of html) {
      const ids = idsOf(text);
      expect(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        url,
      ).toEqual([]);
      expect(text, url).not.toMatch(/<style|\sstyle="|\son\w+="|<script(?![^>]* src=)|javascript:/);
      expect(text, url).not.toMatch(/(?:src|<link[^>]* href)="https?:/);
    }
  });

  test('the licences of the font and the search are part of the site', () => {
    const notices = readFileSync(join(dist, 'third-party-notices.txt'), 'utf8');
    expect(notices).toContain('SIL OPEN FONT LICENSE');
    expect(notices).toContain('Copyright 2022 Luca Ongaro');
    expect(html.get('/docs/')).toContain('href="/docs/third-party-notices.txt"');
  });

  test('the navigation lists every guide once', () => {
    const listed = guideSections.flatMap(({ pages }) => pages);
    const guides = [...html.keys()]
      .map((url) => url.slice('/docs'.length))
      .filter((url) => !/^\/(reference\/|404)/.test(url));
    expect([...listed].sort()).toEqual(guides.sort());
  });

  test('the reference has every operation, in one place', () => {
    const all = Object.values(document.paths).flatMap((item) =>
      methods.flatMap((method) => item[method]?.operationId ?? []),
    );
    expect([...reference.operations.keys()].sort()).toEqual(all.sort());
    for (const url of reference.operations.values()) {
      const [path = '', id] = `/docs${url}`.split('#');
      expect(html.get(path), url).toContain(`id="${id}"`);
    }
  });

  test('the page of errors has every code', () => {
    const ids = new Set(idsOf(html.get('/docs/errors/') ?? ''));
    expect(Object.keys(errorStatus).filter((code) => !ids.has(slugOf(code)))).toEqual([]);
  });
});

test('the page of errors has every code that an SDK makes, and no other', () => {
  const folders = [join(repositoryRoot, 'packages', 'sdk', 'src'), join(repositoryRoot, 'sdks', 'python', 'src')];
  const source = folders
    .flatMap((folder) =>
      globSync('**/*.{ts,py}', { cwd: folder }).map((path) => readFileSync(join(folder, path), 'utf8')),
    )
    .join('\n');
  const verdicts = document.components.schemas?.['VerdictCode']?.['x-enumDescriptions'] ?? {};
  const literals = [...source.matchAll(/['"]([A-Z_]+\.[A-Z_]+)['"]/g)].map(([, code = '']) => code);
  const ofSdk = literals.filter((code) => !(code in errorStatus) && !(code in verdicts));
  const reasons = [...source.matchAll(/(?:Refusal\(|deny\(|refused\(|reason: )\s*['"]([A-Z_]+)['"]/g)];
  const listed = new Set(sdkCodes.map(({ code }) => code));
  const found = new Set([...ofSdk, ...reasons.map(([, reason]) => `PROOF.${reason}`)]);
  expect([...found].filter((code) => !listed.has(code)).sort()).toEqual([]);
  // The service makes these: they are reasons of an entitlement and of a usage event.
  const expected = new Set([...found, 'ENTITLEMENT.LIMIT_REACHED', 'USAGE.TOTAL_TOO_LARGE']);
  const extra = [...listed].filter((code) => !expected.has(code.replace(/^CERTIFICATE\./, 'PROOF.')));
  expect(extra).toEqual([]);
});

test('guides link only to operations and codes that exist', () => {
  const resolve = linkResolver(reference);
  const wrong: string[] = [];
  for (const path of globSync('**/*.md', { cwd: join(dist, '..', 'pages') })) {
    const text = readFileSync(join(dist, '..', 'pages', path), 'utf8');
    for (const [, href = ''] of text.matchAll(/\]\((reference:[^)]+)\)/g)) {
      if (resolve(href, path).startsWith('/docs/reference/#')) wrong.push(`${path}: ${href}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('the example of every request satisfies the schema of its body', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi.json');
  const wrong = operationsOf(document).flatMap((operation) => {
    const schema = operation.bodies.find(({ mediaType }) => mediaType === 'application/json')?.schema;
    if (schema === undefined) return [];
    const pointed = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi.json#/components'));
    const validate = ajv.compile(pointed);
    return validate(requestSample(document, operation)) ? [] : [`${operation.id}: ${ajv.errorsText(validate.errors)}`];
  });
  expect(wrong).toEqual([]);
});
