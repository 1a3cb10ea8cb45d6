import '@fontsource-variable/inter/index.css';
import './styles/first.css';
import './styles/global.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { followContentSecurityPolicy, styleNonce } from './lib/content-security.ts';
import { nameLoadFailures } from './lib/load-failure.ts';
import { router } from './router.tsx';
import { cssVariables, theme } from './theme.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root.');

// A script of index.html reads the same key before the first paint.
const colorScheme = localStorageColorSchemeManager({ key: 'licensing.color-scheme' });

followContentSecurityPolicy();
nameLoadFailures();

const reactRoot = createRoot(root);
// As a transition, React pauses the first render for input every few milliseconds.
startTransition(() => {
  reactRoot.render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        colorSchemeManager={colorScheme}
        getStyleNonce={styleNonce}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
});
