/** Lets the menu button of narrow screens show and hide the list of pages. */
export function closeMenuOnNavigation(): void {
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
