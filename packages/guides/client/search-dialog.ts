import type { Search } from './search.ts';

/** Opens the search with its button, `/` or Ctrl+K. The library and the index are loaded when they are needed first. */
export function enableSearch(): void {
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
