import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { basename } from 'node:path/posix';
import { gzipSync } from 'node:zlib';
import { compilePackage } from './compile.ts';

const folder = join(import.meta.dirname, '..');
const blockBytes = 512;
/** The time that npm gives to every file, so that the same files are the same tarball. */
const modifiedAt = 499_162_500;

/**
 * Returns the package as a tarball that npm installs or publishes: its files in the folder `package`. `npm pack` is not
 * run, because its versions differ, and the tarball should depend on nothing but the sources.
 */
export async function packageTarball(): Promise<Buffer> {
  const files = new Map(['LICENSE', 'README.md'].map((name) => [`package/${name}`, readFileSync(join(folder, name))]));
  files.set('package/package.json', Buffer.from(manifest()));
  for (const [name, content] of await compilePackage()) files.set(`package/dist/${name}`, Buffer.from(content));
  return tarball(files);
}

/** Returns the package.json without what only `npm pack` in this folder runs. */
function manifest(): string {
  const { scripts: _scripts, ...published } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${JSON.stringify(published, null, 2)}\n`;
}

/** Returns a compressed archive of files by their paths, in the format ustar. The same files are the same bytes. */
export function tarball(files: ReadonlyMap<string, Buffer>): Buffer {
  const blocks = [...files]
    .sort(([one], [other]) => (sortKey(one) < sortKey(other) ? -1 : 1))
    .flatMap(([path, content]) => [header(path, content.length), padded(content)]);
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), { level: 9 });
}

/** Puts equal files of different folders beside each other, where gzip finds the second one. */
function sortKey(name: string): string {
  return `${basename(name)} ${name}`;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)]);
}

/** Each number is octal digits, and a NUL or a space after them. The checksum is computed as if it were spaces. */
function header(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is longer than a path in a tarball may be.`);
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  block.write(path, 0);
  block.write(octal(0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(modifiedAt, 11), 136);
  block.write('        0', 148);
  block.write('ustar\x0000', 257);
  block.write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  );
  return block;
}
