import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageTarball } from '../../../sdk/scripts/tarball.ts';
import { sitePath } from '../layout/site.ts';
import { escapeHtml } from '../markdown/html.ts';
import { cArchive } from './c-archive.ts';
import { goModule } from './go-module.ts';
import { pythonWheel } from './python-wheel.ts';

/** A file that vendors install, which the service serves below `/docs/downloads/`. */
export interface Download {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly content: Buffer;
  /** Further files that a tool reads, by their names. The page does not show them. */
  readonly companions?: ReadonlyMap<string, string>;
}

/** Builds THE list of downloads. A package for another language is one more entry. */
export async function buildDownloads(): Promise<Download[]> {
  return [
    {
      name: 'licensing-sdk.tgz',
      title: 'TypeScript and JavaScript',
      version: sdkVersion(),
      content: await packageTarball(),
    },
    { title: 'Python', ...pythonWheel() },
    { title: 'Go', version: sdkVersion(), ...goModule(sdkVersion()) },
    { title: 'C and C++', ...cArchive() },
  ];
}

function sdkVersion(): string {
  const manifest = join(import.meta.dirname, '..', '..', '..', 'sdk', 'package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

/** Writes the files into `folder`. */
export function writeDownloads(downloads: readonly Download[], folder: string): void {
  for (const { name, content, companions = [] } of downloads) {
    for (const [path, data] of [[name, content] as const, ...companions]) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), data);
    }
  }
}

/** Returns the table of the downloads, with their checksums, which takes the place of `<!-- downloads -->` in a page. */
export function downloadsTable(downloads: readonly Download[]): string {
  const rows = downloads.map(({ name, title, version, content }) => {
    const file = `<a href="${sitePath}/downloads/${name}">${escapeHtml(name)}</a>`;
    const hash = createHash('sha256')
      .update(content)
      .digest('hex')
      .replaceAll(/.{16}(?!$)/g, '$&<wbr>');
    const size = `${Math.ceil(content.length / 1024)} KiB`;
    return `<tr><td>${title} ${version}</td><td>${file}, ${size}<br>SHA-256 <code>${hash}</code></td></tr>`;
  });
  return (
    '<div class="table" tabindex="0" role="group" aria-label="Downloads"><table><thead><tr><th>For</th><th>File</th>' +
    `</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
  );
}
