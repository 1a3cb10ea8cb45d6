import type { Search } from './search.ts';

function selectTabs(value: string): void {
  for (const tab of document.querySelectorAll<HTMLInputElement>(`input[data-tab][value="${CSS.escape(value)}"]`)) {
    tab.checked = true;
  }
}

/** Selects the same language in every group of tabs, now and on the next page. */
function rememberTabs(): void {
  const stored = recall('docs-language');
  if (stored !== null) selectTabs(stored);
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches('[data-tab]')) return;
    // The other groups change their height: keep this one where the reader sees it.
    const before = target.parentElement?.getBoundingClientRect().top ?? 0;
    selectTabs(target.value);
    remember('docs-language', target.value);
    const after = target.parentElement?.getBoundingClientRect().top ?? 0;
    scrollBy({ top: after - before, behavior: 'instant' });
  });
}

/**
 * Fills in what the dashboard left for the guide that it opens: the values of `export NAME=…` lines. They are in the storage
 * of this tab only, never in an address, and are removed before they are used.
 */
function fillInSetup(): void {
  const values = takeLeftValues();
  if (Object.keys(values).length === 0) return;
  for (const code of document.querySelectorAll('[data-setup] code')) {
    const lines = (code.textContent ?? '').split('\n').map((line) => {
      const name = /^export (\w+)=/.exec(line)?.[1] ?? '';
      return name in values ? `export ${name}=${values[name]}` : line;
    });
    code.textContent = lines.join('\n');
  }
}

function takeLeftValues(): Readonly<Record<string, string>> {
  try {
    const left = sessionStorage.getItem('guide-setup');
    sessionStorage.removeItem('guide-setup');
    return JSON.parse(left ?? '{}');
  } catch {
    return {};
  }
}

function enableCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.hidden = false;
    const label = button.querySelector('span');
    button.addEventListener('click', async () => {
      const text = button.closest('.code')?.querySelector('code')?.textContent ?? '';
      const isCopied = await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      );
      if (label) label.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
      if (!isCopied) getSelection()?.selectAllChildren(button.closest('.code')?.querySelector('code') ?? button);
      setTimeout(() => {
        if (label) label.textContent = 'Copy';
      }, 2000);
    });
  }
}

function enableThemeSwitch(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-theme-switch]');
  if (button === null) return;
  const prefersDark = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => {
    const chosen = document.documentElement.dataset['theme'];
    return chosen === undefined ? prefersDark.matches : chosen === 'dark';
  };
  const update = () => {
    button.setAttribute('aria-label', isDark() ? 'Switch to light colours' : 'Switch to dark colours');
    button.dataset['shows'] = isDark() ? 'sun' : 'moon';
  };
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark';
    document.documentElement.dataset['theme'] = theme;
    remember('docs-theme', theme);
    update();
  });
  prefersDark.addEventListener('change', update);
  update();
  button.hidden = false;
}

/** Marks the heading that the reader is at in the list of contents. */
function followContents(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.shell > .contents a')];
  const targets = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  if (links.length === 0) return;
  let isScheduled = false;
  const update = () => {
    isScheduled = false;
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const passed = targets.findLastIndex((target) => target !== null && target.getBoundingClientRect().top < 140);
    const current = isAtEnd && scrollY > 0 ? links.length - 1 : Math.max(0, passed);
    for (const [index, link] of links.entries()) link.classList.toggle('current', index === current);
  };
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(update);
  };
  addEventListener('scroll', schedule, { passive: true });
  update();
}

/** Opens the operation that the address names, because its details may be closed. */
function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let details = target?.closest('details'); details; details = details.parentElement?.closest('details')) {
    details.open = true;
  }
  target?.scrollIntoView();
}

rememberTabs();
fillInSetup();
enableCopying();
enableThemeSwitch();
closeMenuOnNavigation();
enableSearch();
followContents();
if (location.hash.length > 1) openTarget();
document.querySelector('.sidebar [aria-current]')?.scrollIntoView({ block: 'nearest' });

/** Lets the menu button of narrow screens show and hide the list of pages. */
function closeMenuOnNavigation(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-menu]');
  const sidebar = document.getElementById('sidebar');
  if (button === null || sidebar === null) return;
  const show = (isOpen: boolean) => {
    document.body.classList.toggle('menu-open', isOpen);
    button.setAttribute('aria-expanded', String(isOpen));
  };
  button.addEventListener('click', () => show(!document.body.classList.contains('menu-open')));
  sidebar.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement) show(false);
  });
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !document.body.classList.contains('menu-open')) return;
    show(false);
    button.focus();
  });
}

/** Opens the search with its button, `/` or Ctrl+K. The library and the index are loaded when they are needed first. */
function enableSearch(): void {
  const dialog = document.querySelector<HTMLDialogElement>('[data-search-dialog]');
  const button = document.querySelector<HTMLButtonElement>('[data-search]');
  if (dialog === null || button === null) return;
  const { script = '', index = '' } = dialog.dataset;
  let loading: Promise<Search> | undefined;
  const load = () => {
    loading ??= import(script).then(
      (module: { openSearch(dialog: HTMLDialogElement, index: string): Promise<Search> }) =>
        module.openSearch(dialog, index),
    );
    return loading;
  };
  const open = () => {
    void load().then((search) => search.open());
  };
  button.hidden = false;
  button.addEventListener('click', open);
  button.addEventListener('pointerenter', () => void load(), { once: true });
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input:not([type=radio]), textarea');
    const isShortcut = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping);
    if (!isShortcut || dialog.open) return;
    event.preventDefault();
    open();
  });
}

/** Returns a stored choice of the reader; null if there is none or storage is blocked. */
function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a choice of the reader, if the browser allows it. */
function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice lasts until the page is left.
  }
}
