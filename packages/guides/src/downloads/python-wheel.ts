import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zip } from './zip.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'sdks', 'python');
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');

/** The name that pip expects: distribution, version, and that any Python 3 on any system can use it. */
export interface Wheel {
  readonly name: string;
  readonly version: string;
  readonly content: Buffer;
}

/**
 * Returns the wheel of the Python SDK, without Python, which the machine of a service need not have. A wheel is a zip of
 * the sources with metadata. A test compares both with the wheel that Hatchling builds for a release.
 */
export function pythonWheel(): Wheel {
  const version = /VERSION = "([^"]+)"/.exec(textOf('src/licensing_sdk/_version.py'))?.[1] ?? '';
  const distInfo = `licensing_sdk-${version}.dist-info`;
  const files = new Map(
    globSync('licensing_sdk/*.{py,typed}', { cwd: join(folder, 'src') })
      .sort()
      .map((name) => [name.replaceAll('\\', '/'), textOf(join('src', name))]),
  );
  files.set(`${distInfo}/METADATA`, metadata(version));
  files.set(
    `${distInfo}/WHEEL`,
    'Wheel-Version: 1.0\nGenerator: licensing\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  );
  files.set(`${distInfo}/licenses/LICENSE`, textOf('LICENSE'));
  const record = `${distInfo}/RECORD`;
  files.set(record, [...[...files].map(recordLine), `${record},,`, ''].join('\n'));
  return { name: `licensing_sdk-${version}-py3-none-any.whl`, version, content: zip(files) };
}

function recordLine([name, text]: readonly [string, string]): string {
  return `${name},sha256=${createHash('sha256').update(text).digest('base64url')},${Buffer.byteLength(text)}`;
}

/** Returns the core metadata, from the fields of `pyproject.toml` in its table `project`. */
function metadata(version: string): string {
  const project = /^\[project\]\n([\s\S]*?)(?=^\[)/m.exec(textOf('pyproject.toml'))?.[1] ?? '';
  const found = (pattern: string) => new RegExp(pattern, 'm').exec(project)?.[1] ?? '';
  const text = (field: string) => found(`^${field} = "([^"]+)"`);
  const list = (field: string) =>
    [...found(`^${field} = \\[([^\\]]*)\\]`).matchAll(/"([^"]+)"/g)].map(([, item]) => item);
  return [
    'Metadata-Version: 2.1',
    `Name: ${text('name')}`,
    `Version: ${version}`,
    `Summary: ${text('description')}`,
    `Author: ${found('^authors = \\[\\{ name = "([^"]+)"')}`,
    `License: ${found('^license = \\{ text = "([^"]+)"')}`,
    'License-File: LICENSE',
    `Keywords: ${list('keywords').sort().join(',')}`,
    ...list('classifiers').map((classifier) => `Classifier: ${classifier}`),
    `Requires-Python: ${text('requires-python')}`,
    ...list('dependencies').map((dependency) => `Requires-Dist: ${dependency}`),
    'Description-Content-Type: text/markdown',
    '',
    textOf('README.md'),
  ].join('\n');
}
