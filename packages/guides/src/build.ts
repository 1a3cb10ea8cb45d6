// Builds the site of /docs into `dist`: `node packages/guides/src/build.ts`.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Eleventy } from '@11ty/eleventy';
import { compressFiles } from '../../../scripts/compress-files.ts';
import { replaceFolder } from '../../../scripts/replace-folder.ts';
import { buildAssets, thirdPartyNotices } from './assets.ts';
import { buildDownloads, downloadsTable, writeDownloads } from './downloads/downloads.ts';
import { errorsPage } from './errors/errors-page.ts';
import { isReference, renderPage } from './layout/page.ts';
import { type Site, sitePath } from './layout/site.ts';
import { linkResolver } from './links.ts';
import { createMarkdown } from './markdown/markdown.ts';
import { guideSections } from './navigation.ts';
import type { OpenApiDocument } from './reference/document.ts';
import { referencePages } from './reference/pages.ts';
import { searchDocuments } from './search/search-documents.ts';
import { type RenderedPage, writeTextVersions } from './text/text-versions.ts';

const folder = resolve(import.meta.dirname, '..');
const finished = join(folder, 'dist');
const unfinished = join(folder, '.dist');

interface PageData {
  readonly title: string;
  readonly description?: string;
  readonly wide?: boolean;
  readonly content: string;
  readonly page: { readonly url: string };
  readonly collections: { readonly all: readonly { readonly url: string; readonly data: PageData }[] };
}

async function build(): Promise<void> {
  // Eleventy resolves its folders against the working directory.
  process.chdir(folder);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const document: OpenApiDocument = JSON.parse(readFileSync(join(folder, '..', '..', 'openapi.json'), 'utf8'));
  const plain = createMarkdown((href) => href);
  const inline = (text: string) => plain.renderInline(text);
  const reference = referencePages(document, inline);
  const generated = [...reference.pages, errorsPage(document, inline)];
  const sections = [...guideSections, ...reference.sections];
  const site: Site = { assets: await buildAssets(join(unfinished, 'assets')), sections, version };
  const downloads = await buildDownloads();
  writeDownloads(downloads, join(unfinished, 'downloads'));
  const rendered: RenderedPage[] = [];
  const layout = (data: PageData) => {
    const { title, description = '', wide = false, page, collections } = data;
    const content = data.content.replace('<!-- downloads -->', () => downloadsTable(downloads));
    const titles = new Map(collections.all.map((other) => [other.url, other.data.title]));
    const section = site.sections.find(({ pages }) => pages.includes(page.url))?.title ?? '';
    const area = isReference(page.url) ? 'API reference' : section;
    rendered.push({ url: `${sitePath}${page.url}`, title, description, area, section, content });
    return renderPage(site, { url: page.url, title, description, content, wide }, titles);
  };
  const eleventy = new Eleventy('pages', '.dist', {
    quietMode: true,
    config(eleventyConfig) {
      eleventyConfig.setUseGitIgnore(false);
      eleventyConfig.setLibrary('md', createMarkdown(linkResolver(reference)));
      eleventyConfig.addTemplate('_includes/page.11ty.js', layout);
      eleventyConfig.addGlobalData('layout', 'page.11ty.js');
      for (const { url, title, description, content } of generated) {
        eleventyConfig.addTemplate(`generated${url}index.11ty.js`, () => content, {
          title,
          description,
          permalink: `${url}index.html`,
        });
      }
      return { markdownTemplateEngine: false, htmlTemplateEngine: false, templateFormats: ['md', '11ty.js'] };
    },
  });
  await eleventy.write();
  const pages = inReadingOrder(rendered, site);
  const searched = pages.map((page) => ({ ...page, content: `<p>${page.description}</p>${page.content}` }));
  writeFileSync(join(unfinished, 'search-index.json'), JSON.stringify(searchDocuments(searched)));
  // The page of unknown addresses has no address of its own.
  const addressed = pages.filter(({ url }) => url.endsWith('/'));
  writeTextVersions(unfinished, addressed, site);
  writeFileSync(join(unfinished, 'third-party-notices.txt'), thirdPartyNotices());
  await compressFiles(unfinished);
  replaceFolder(finished, unfinished);
}

/** Pages are rendered in any order; the same sources must give the same index. */
function inReadingOrder<Item extends { readonly url: string }>(pages: readonly Item[], { sections }: Site): Item[] {
  const urls = sections.flatMap(({ pages }) => pages).map((url) => sitePath + url);
  return [...pages].sort((one, other) => urls.indexOf(one.url) - urls.indexOf(other.url));
}

await build();
