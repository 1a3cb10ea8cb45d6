/** Returns the anchor of a heading, such as `offline-for-30-days` for "Offline for 30 days". */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[`'"’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
