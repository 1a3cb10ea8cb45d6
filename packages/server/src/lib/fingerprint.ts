/**
 * Returns the spelling in which a fingerprint is stored and compared (Unicode NFC): applications use names of machines, and
 * systems compose their letters differently. What a device gets signed keeps the spelling of its question.
 */
export function storedFingerprint(fingerprint: string): string {
  return fingerprint.normalize('NFC');
}
