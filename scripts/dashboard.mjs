// Builds the application of / (packages/dashboard) if one of its sources has changed since.
import { builtFolder } from './built-folder.mjs';

const dashboard = 'packages/dashboard';

/** The build itself writes the tree of routes. */
export const application = builtFolder({
  folder: `${dashboard}/dist`,
  script: `${dashboard}/scripts/build.ts`,
  inputs: ['src', 'public', 'scripts/build.ts', 'index.html', 'vite.config.ts', 'package.json'].map(
    (name) => `${dashboard}/${name}`,
  ),
  builder: '@vitejs/plugin-react',
  isInput: (path) => !path.endsWith('routeTree.gen.ts'),
});

application.buildIfMain(import.meta.url);
