/** The operating systems that the form offers. */
export const platforms = { windows: 'Windows', macos: 'macOS', linux: 'Linux', any: 'Any system' } as const;

/** The processors that the form offers. */
export const architectures = {
  x64: 'x64 (Intel, AMD)',
  arm64: 'ARM64 (Apple silicon)',
  x86: 'x86 (32 bits)',
  arm: 'ARM (32 bits)',
  universal: 'Universal (macOS)',
  any: 'Any processor',
} as const;

export type Platform = keyof typeof platforms;
export type Architecture = keyof typeof architectures;

/** Returns what a file is for in a few words: `macOS, ARM64`. */
export function targetText(platform: Platform, arch: Architecture): string {
  const processor = architectures[arch].replace(/ \(.*/, '');
  return arch === 'any' ? platforms[platform] : `${platforms[platform]}, ${processor}`;
}

const platformSigns: readonly (readonly [Platform, RegExp])[] = [
  ['macos', /\.(dmg|pkg)$|\b(mac|macos|osx|darwin)\b|\.app\./],
  ['windows', /\.(exe|msi|msix|appx|nupkg)$|\b(win|win32|win64|windows)\b/],
  ['linux', /\.(appimage|deb|rpm|snap|flatpak)$|\blinux\b/],
];
const architectureSigns: readonly (readonly [Architecture, RegExp])[] = [
  ['universal', /\buniversal2?\b/],
  ['arm64', /\b(arm64|aarch64|apple silicon)\b/],
  ['x64', /\b(x64|x86 64|amd64|win64|intel)\b/],
  ['x86', /\b(x86|ia32|i386|i686|win32)\b/],
  ['arm', /\b(armv7l?|armhf)\b/],
];

/** Guesses for which system and processor a file is, from the names that build tools give. */
export function guessTarget(fileName: string): { readonly platform: Platform; readonly arch: Architecture } {
  const name = fileName.toLowerCase().replaceAll(/[_\s-]+/g, ' ');
  const platform = platformSigns.find(([, sign]) => sign.test(name))?.[0] ?? 'any';
  const arch = architectureSigns.find(([, sign]) => sign.test(name))?.[0];
  // Installers for Windows and Linux without a word about the processor are for x64; other files may be for all.
  return { platform, arch: arch ?? (platform === 'windows' || platform === 'linux' ? 'x64' : 'any') };
}

/** Proposes the address of a file: beside the file of an address whose end is that file's name. Empty without one. */
export function proposeUrl(
  fileName: string,
  others: readonly { readonly file_name: string; readonly url: string }[],
): string {
  for (const { file_name, url } of others) {
    const end = `/${encodeURIComponent(file_name)}`;
    if (file_name !== '' && url.endsWith(end)) return `${url.slice(0, 1 - end.length)}${encodeURIComponent(fileName)}`;
  }
  return '';
}
