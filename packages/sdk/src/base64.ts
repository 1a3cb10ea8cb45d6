/** Returns the bytes of canonical base64; undefined for any other text. */
export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(base64);
    // Spare bits in the last character would let several texts have the same bytes.
    return btoa(binary) === base64 ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}
