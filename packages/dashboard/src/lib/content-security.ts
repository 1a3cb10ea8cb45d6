/** The part of the Trusted Types API that Chromium, Firefox and Safari have; TypeScript's library lacks it. */
interface TrustedTypePolicies {
  createPolicy(name: 'default', rules: { createHTML(text: string): string }): unknown;
}

/** The number that the service puts into each page it sends; only style elements that have it count. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** Returns the nonce of the page's Content Security Policy for style elements. */
export function styleNonce(): string {
  return nonce;
}

/**
 * Lets this application's libraries work under its Content Security Policy. They write the text of style elements through
 * `innerHTML`: the policy lets text through and refuses markup, scripts and their URLs.
 */
export function followContentSecurityPolicy(): void {
  // Read by `get-nonce`, for the style element that locks scrolling behind a dialog.
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypePolicies };
  trustedTypes?.createPolicy('default', {
    createHTML(text) {
      if (text.includes('<')) throw new TypeError('The Content Security Policy allows no HTML as text.');
      return text;
    },
  });
}
