/** Returns the names of classes as one attribute, without the absent ones; undefined if none is left. */
export function classNames(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter(Boolean).join(' ') || undefined;
}
