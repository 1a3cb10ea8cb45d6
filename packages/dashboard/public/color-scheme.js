// Runs before the first paint, so that a page never flashes in the other colour scheme.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('licensing.color-scheme');
  } catch {
    // Storage can be blocked; then the scheme follows the system.
  }
  const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const scheme = chosen === 'light' || chosen === 'dark' ? chosen : prefersDark ? 'dark' : 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
