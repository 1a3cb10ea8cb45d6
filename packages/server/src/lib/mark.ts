/** The mark of the product as SVG, as the dashboard draws it. Pages show its name beside it. */
export const markSvg =
  '<svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">' +
  '<rect width="32" height="32" rx="8" fill="#3346b0"/>' +
  '<g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"><circle cx="12" cy="16" r="5"/>' +
  '<path d="M17 16h9m-3 0v4"/></g></svg>';
