function icon(body: string): string {
  return (
    '<svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2" ' +
    `stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${body}</svg>`
  );
}

/** The product's mark: the bow and the bit of a key. */
const mark =
  '<path d="M0 7a7 7 0 0 1 7-7h14a7 7 0 0 1 7 7v14a7 7 0 0 1-7 7H7a7 7 0 0 1-7-7z" fill="#3346b0"/>' +
  '<path d="M11 8.2a5.3 5.3 0 1 0 4.9 7.3h1.9v2.4h2.7v-2.4h2.2v-2.9h-6.8A5.3 5.3 0 0 0 11 8.2zm0 3.3a2.1 2.1 0 1 1 0 4.2 2.1 2.1 0 0 1 0-4.2z" fill="#fff"/>';

/** The icon of the browser's tab. */
export const iconFile = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28">${mark}</svg>`;

/** Icons as inline SVG. */
export const icons = {
  brand: `<svg viewBox="0 0 28 28" width="26" height="26" aria-hidden="true">${mark}</svg>`,
  menu: icon('<path d="M4 7h16M4 12h16M4 17h16"/>'),
  search: icon('<circle cx="11" cy="11" r="7"/><path d="m20 20-3.8-3.8"/>'),
  sun: icon(
    '<circle cx="12" cy="12" r="4"/><path d="M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1 1M17.4 17.4l1 1M5.6 18.4l1-1M17.4 6.6l1-1"/>',
  ),
  moon: icon('<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z"/>'),
} as const;
