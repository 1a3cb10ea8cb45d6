// Runs before the first paint. Without a stored choice the colours follow the system.
try {
  const stored = localStorage.getItem('docs-theme');
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset['theme'] = stored;
} catch {
  // Storage is blocked: the colours follow the system.
}

export {};
