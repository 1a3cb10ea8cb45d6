/** A system for which vendors offer files. */
export type System = 'windows' | 'macos' | 'linux';

type Browser = Pick<Navigator, 'userAgent' | 'maxTouchPoints'>;

/** Returns the system of the browser; null on a phone or a tablet, where the person may look for a file of another device. */
export function systemOf({ userAgent, maxTouchPoints }: Browser): System | null {
  if (/Android|iPhone|iPad|CrOS/.test(userAgent)) return null;
  if (userAgent.includes('Windows')) return 'windows';
  // An iPad says that it is a Mac.
  if (userAgent.includes('Macintosh')) return maxTouchPoints > 1 ? null : 'macos';
  return userAgent.includes('Linux') ? 'linux' : null;
}
