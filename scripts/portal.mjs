// Builds the page of license holders (packages/portal) if one of its sources has changed since.
import { builtFolder } from './built-folder.mjs';

const portal = 'packages/portal';

export const holdersPage = builtFolder({
  folder: `${portal}/dist`,
  script: `${portal}/scripts/build.ts`,
  inputs: [
    ...['src', 'scripts/build.ts', 'index.html', 'vite.config.ts', 'package.json'].map((name) => `${portal}/${name}`),
    // The only code that the two pages share.
    'packages/dashboard/src/components/MarkdownContent.tsx',
  ],
  builder: 'vite',
});

holdersPage.buildIfMain(import.meta.url);
