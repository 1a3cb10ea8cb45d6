// Builds the site of /docs (packages/guides) if one of its sources has changed since.
import { builtFolder } from './built-folder.mjs';
import { sdkSources } from './sdk-sources.mjs';

const guides = 'packages/guides';

/**
 * Besides its own files, the site is made from the API's document and the service's table of errors, and it contains the
 * SDKs, which it offers as downloads.
 */
export const site = builtFolder({
  folder: `${guides}/dist`,
  script: `${guides}/src/build.ts`,
  inputs: [
    ...['pages', 'src', 'client', 'package.json'].map((name) => `${guides}/${name}`),
    'openapi.json',
    'packages/server/src/lib/error-codes.ts',
    ...['src', 'scripts', 'package.json', 'README.md', 'LICENSE'].map((name) => `packages/sdk/${name}`),
    ...['src', 'pyproject.toml', 'README.md', 'LICENSE'].map((name) => `sdks/python/${name}`),
    'sdks/go',
    ...[
      'include',
      'src',
      'examples',
      'CMakeLists.txt',
      'licensing.pc.in',
      'licensing-config.cmake.in',
      'README.md',
      'LICENSE',
    ].map((name) => `sdks/c/${name}`),
  ],
  // Python compiles its sources beside them.
  needs: sdkSources,
  isInput: (path) => !/__pycache__|\.test\.ts$/.test(path),
  builder: '@11ty/eleventy',
});

site.buildIfMain(import.meta.url);
