import { escapeHtml, textOf } from '../markdown/html.ts';
import { icons } from './icons.ts';
import { assetUrl, type Page, type Site, sitePath, type Titles } from './site.ts';

interface Heading {
  readonly level: 2 | 3;
  readonly id: string;
  readonly title: string;
}

function headingsOf(content: string): Heading[] {
  return [...content.matchAll(/<h([23])[^>]*\bid="([^"]+)"[^>]*>(.*?)<\/h\1>/gs)].map(
    ([, level, id = '', html = '']) => ({
      level: level === '2' ? 2 : 3,
      id,
      title: textOf(html.replace(/<a class="anchor".*?<\/a>/s, '')),
    }),
  );
}

const referenceArea = '/reference/';

/** Returns true for a page of the reference. */
export function isReference(url: string): boolean {
  return url.startsWith(referenceArea);
}

/** The guides and the reference have lists of their own. Narrow screens have no other way between the two. */
function navigation({ sections }: Site, page: Page, titles: Titles): string {
  const lists = sections
    .filter(({ pages }) => isReference(pages[0] ?? '') === isReference(page.url))
    .map(({ title, pages }) => {
      const links = pages.map((url) => {
        const current = url === page.url ? ' aria-current="page"' : '';
        return `<li><a href="${sitePath}${url}"${current}>${escapeHtml(titles.get(url) ?? url)}</a></li>`;
      });
      return `<section><h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul></section>`;
    });
  return `<div class="areas areas-narrow">${areaLinks(page)}</div>${lists.join('')}`;
}

function areaLinks(page: Page): string {
  const link = (href: string, label: string, isCurrent: boolean) =>
    `<a href="${sitePath}${href}"${isCurrent ? ' class="current"' : ''}>${label}</a>`;
  return link('/', 'Guides', !isReference(page.url)) + link(referenceArea, 'API reference', isReference(page.url));
}

const longestContents = 40;

function contents(page: Page): string {
  const all = page.wide ? [] : headingsOf(page.content);
  // A list that is longer than the screen helps nobody.
  const headings = all.length > longestContents ? all.filter(({ level }) => level === 2) : all;
  if (headings.length < 2) return '';
  const links = headings.map(
    ({ level, id, title }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(title)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`;
}

function breadcrumbs({ sections }: Site, page: Page): string {
  const section = sections.find(({ pages }) => pages.includes(page.url));
  if (page.url === '/' || page.url === referenceArea || section === undefined) return '';
  const area = isReference(page.url) ? `<li><a href="${sitePath}${referenceArea}">API reference</a></li>` : '';
  return (
    '<nav class="breadcrumbs" aria-label="Breadcrumbs"><ol>' +
    `<li><a href="${sitePath}/">Docs</a></li>${area}<li>${escapeHtml(section.title)}</li>` +
    `<li aria-current="page">${escapeHtml(page.title)}</li></ol></nav>`
  );
}

function neighbours({ sections }: Site, page: Page, titles: Titles): string {
  const urls = sections.flatMap(({ pages }) => pages);
  const at = urls.indexOf(page.url);
  if (at === -1 || page.url === '/') return '';
  const link = (url: string | undefined, rel: 'prev' | 'next', label: string) =>
    url === undefined
      ? ''
      : `<a rel="${rel}" href="${sitePath}${url}"><span>${label}</span><strong>${escapeHtml(titles.get(url) ?? url)}</strong></a>`;
  const links = link(urls[at - 1], 'prev', 'Previous') + link(urls[at + 1], 'next', 'Next');
  return `<nav class="neighbours" aria-label="Previous and next page">${links}</nav>`;
}

function head(site: Site, page: Page): string {
  const name = page.url === '/' ? 'Licensing docs' : `${page.title} · Licensing docs`;
  return (
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${escapeHtml(name)}</title><meta name="description" content="${escapeHtml(page.description)}">` +
    '<meta name="color-scheme" content="light dark">' +
    (page.url.endsWith('/')
      ? `<link rel="alternate" type="text/markdown" href="${sitePath}${page.url}index.md">`
      : '') +
    `<link rel="preload" as="font" type="font/woff2" crossorigin href="${assetUrl(site, 'inter.woff2')}">` +
    `<link rel="stylesheet" href="${assetUrl(site, 'site.css')}">` +
    `<link rel="icon" type="image/svg+xml" href="${assetUrl(site, 'icon.svg')}">` +
    // Blocks rendering, so that the page never appears in the other colour scheme first.
    `<script src="${assetUrl(site, 'theme.js')}"></script>` +
    `<script type="module" src="${assetUrl(site, 'site.js')}"></script>`
  );
}

function topBar(page: Page): string {
  return (
    '<header class="top"><div class="top-inner">' +
    `<button type="button" class="icon-button menu" data-menu aria-expanded="false" aria-controls="sidebar" aria-label="Menu">${icons.menu}</button>` +
    `<a class="brand" href="${sitePath}/">${icons.brand}<span>Licensing</span><em>Docs</em></a>` +
    `<nav class="areas" aria-label="Areas">${areaLinks(page)}</nav>` +
    `<button type="button" class="search-button" data-search aria-label="Search" hidden>${icons.search}<span>Search</span><kbd>/</kbd></button>` +
    `<button type="button" class="icon-button theme" data-theme-switch aria-label="Switch to dark colours" hidden>${icons.sun}${icons.moon}</button>` +
    '</div></header>'
  );
}

/** Returns the whole HTML document of a page. It has no inline script and no inline style. */
export function renderPage(site: Site, page: Page, titles: Titles): string {
  const lead = page.description && page.url !== '/' ? `<p class="lead">${escapeHtml(page.description)}</p>` : '';
  const title = page.url === '/' ? '' : `<h1>${escapeHtml(page.title)}</h1>`;
  const toc = contents(page);
  return (
    `<!doctype html><html lang="en"><head>${head(site, page)}</head><body>` +
    `<a class="skip" href="#content">Skip to the content</a>${topBar(page)}` +
    `<div class="shell${page.wide ? ' shell-wide' : ''}">` +
    `<nav id="sidebar" class="sidebar" aria-label="Pages">${navigation(site, page, titles)}</nav>` +
    `<main id="content" tabindex="-1">${breadcrumbs(site, page)}<article>${title}${lead}${toc && `<details class="contents-inline"><summary>On this page</summary>${toc.replace('aria-label="On this page"', 'aria-label="Contents"').replace('<h2>On this page</h2>', '')}</details>`}` +
    `${page.content}</article>${neighbours(site, page, titles)}` +
    `<footer>Version ${escapeHtml(site.version)}. Served by your own installation; nothing here comes from another host. ` +
    `${page.url.endsWith('/') ? `<a href="${sitePath}${page.url}index.md">This page as Markdown</a> · ` : ''}<a href="${sitePath}/llms.txt">llms.txt</a> · ` +
    `<a href="${sitePath}/third-party-notices.txt">Third-party notices</a></footer></main>` +
    `${toc}</div>` +
    `<dialog class="search" data-search-dialog data-script="${assetUrl(site, 'search.js')}" data-index="${sitePath}/search-index.json" aria-label="Search"></dialog>` +
    '</body></html>'
  );
}
