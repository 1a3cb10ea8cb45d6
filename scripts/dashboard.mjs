// Builds the application of / (packages/dashboard) if one of its sources has changed since.
import { builtFolder } from './built-folder.mjs';

const dashboard = 'packages/dashboard';

/** The types of the API do not change what it builds. */
export const application = builtFolder({
  folder: `${dashboard}/dist`,
  script: `${dashboard}/scripts/build.ts`,
  inputs: ['src', 'public', 'scripts', 'index.html', 'vite.config.ts', 'package.json'].map(
    (name) => `${dashboard}/${name}`,
  ),
  builder: '@vitejs/plugin-react',
  isInput: (path) => !/schema\.gen\.ts$|\.stamp$/.test(path),
});

application.buildIfMain(import.meta.url);
