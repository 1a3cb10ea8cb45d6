import { expect, test } from 'vitest';
import { digestOf } from '../../lib/file-digest.ts';
import { guessTarget, proposeUrl } from './artifact-file.ts';

test.each([
  ['Editor-2.0.0-universal.dmg', 'macos', 'universal'],
  ['Editor_2.0.0_aarch64.dmg', 'macos', 'arm64'],
  ['Editor.app.tar.gz', 'macos', 'any'],
  ['editor-darwin-x64.zip', 'macos', 'x64'],
  ['Editor Setup 2.0.0.exe', 'windows', 'x64'],
  ['editor-win-arm64.msi', 'windows', 'arm64'],
  ['editor_2.0.0_amd64.deb', 'linux', 'x64'],
  ['Editor-2.0.0-x86_64.AppImage', 'linux', 'x64'],
  ['editor-linux-arm64.tar.gz', 'linux', 'arm64'],
  ['editor.jar', 'any', 'any'],
  ['darwinia-handbook.pdf', 'any', 'any'],
] as const)('the file %s is for %s and %s', (name, platform, arch) => {
  expect(guessTarget(name)).toEqual({ platform, arch });
});

test('the address of a file is proposed beside that of another file', () => {
  const other = { file_name: 'Editor 2.exe', url: 'https://downloads.example/2/Editor%202.exe' };
  expect(proposeUrl('Editor 2.dmg', [other])).toBe('https://downloads.example/2/Editor%202.dmg');
  expect(proposeUrl('Editor 2.dmg', [{ ...other, url: 'https://downloads.example/get?file=7' }])).toBe('');
  expect(proposeUrl('Editor 2.dmg', [])).toBe('');
});

const sha256Of = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).toHex();

test('the digest of a file of several parts is its SHA-256, and the progress ends with the whole', async () => {
  const bytes = new Uint8Array(9 * 1024 * 1024).fill(7);
  const shares: number[] = [];
  const digest = await digestOf(new Blob([bytes]), (share) => shares.push(share));
  expect(digest).toBe(await sha256Of(bytes));
  expect(shares.length).toBe(3);
  expect(shares.at(-1)).toBe(1);
  expect(await digestOf(new Blob([]), () => undefined)).toBe(await sha256Of(new Uint8Array()));
});
