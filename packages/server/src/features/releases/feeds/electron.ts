import type { WantedFiles } from '../downloads/wanted-files.ts';
import { type AddressOf, type FeedRelease, publishedAt } from './feed.ts';

const fileName = /^([a-z][a-z0-9-]{0,31}?)(?:-(mac|linux)(?:-(arm64|arm|ia32))?)?\.yml$/;

/** What the name of a file of electron-updater asks for. */
interface AskedFile {
  readonly channel: string;
  readonly files: WantedFiles;
}

/** Returns what `latest-mac.yml` asks for; undefined for a name that electron-updater does not ask for. */
export function readFileName(name: string): AskedFile | undefined {
  const [matched, channel = '', system, arch] = fileName.exec(name) ?? [];
  if (matched === undefined || (system === 'mac' && arch !== undefined)) return undefined;
  const asked = channel === 'latest' ? 'stable' : channel;
  // It chooses by the names of the files; only those for Linux have a file for each processor.
  if (system === undefined) return { channel: asked, files: { platforms: ['windows', 'any'] } };
  if (system === 'mac') return { channel: asked, files: { platforms: ['macos', 'any'] } };
  const processor = arch === 'ia32' ? 'x86' : arch === 'arm' || arch === 'arm64' ? arch : 'x64';
  return { channel: asked, files: { platforms: ['linux', 'any'], archs: [processor, 'any'] } };
}

/** Returns the file that electron-updater reads: JSON, which is YAML. `sha2` is its name of SHA-256. */
export function electronFeed({ release, files }: FeedRelease, addressOf: AddressOf): string {
  const info = {
    version: release.version,
    files: files.map((file) => ({ url: addressOf(file), size: file.size, sha2: file.sha256 })),
    releaseDate: publishedAt(release),
    releaseNotes: release.notes,
  };
  return `${JSON.stringify(info, null, 2)}\n`;
}
