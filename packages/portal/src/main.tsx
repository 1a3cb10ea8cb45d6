import './portal.css';
import './controls.css';
import './screens.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { LanguageProvider, loadFirstLanguage } from './language/Language.tsx';
import { firstLanguage } from './language/languages.ts';
import { handleIn, takeLinkToken } from './router.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root.');

const handle = handleIn(window.location.pathname);
const linkToken = takeLinkToken();
const first = await loadFirstLanguage(firstLanguage());
// No portal has this handle. The dashboard shows the page in a frame.
const Preview = handle === '_preview' ? (await import('./Preview.tsx')).Preview : null;
createRoot(root).render(
  <StrictMode>
    <LanguageProvider first={first}>
      {Preview === null ? <App handle={handle} linkToken={linkToken} /> : <Preview handle={handle} />}
    </LanguageProvider>
  </StrictMode>,
);
