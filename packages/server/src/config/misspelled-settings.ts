import { editDistance } from '../lib/edit-distance.ts';
import { variableNames } from './setting-names.ts';

/** Names of four letters are near to too many others: for them only swapped letters and the case are mistakes. */
const shortestFuzzyLength = 6;
/** From this length on, two edits are still near. */
const twoEditsFrom = 10;

/** Variables of other programs that are one edit away from a setting. */
const foreign: ReadonlySet<string> = new Set(['API_KEY', 'API_KEYS', 'API_KEY_FILE']);

/** A Kubernetes service, or a linked container, named like a setting: `METRIC_PORT=tcp://10.0.0.1:9090`. */
function isServiceLink(name: string, value: string): boolean {
  return /_(PORT|PORT_\d+_(TCP|UDP|SCTP))$/.test(name) && /^(tcp|udp|sctp):\/\//.test(value);
}

/**
 * Returns a sentence for each variable of the environment that is not a setting but nearly has the name of one, in the
 * order of the environment. Empty variables count as absent.
 */
export function misspelledSettings(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value?.trim() || isServiceLink(name, value.trim())) return [];
    const meant = nearestSetting(name);
    return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}? Rename it, or remove it.`];
  });
}

/** Returns the setting whose name is nearest to `name`; undefined for a setting, and if none is near. */
export function nearestSetting(name: string): string | undefined {
  if (variableNames.includes(name) || foreign.has(name)) return undefined;
  let nearest: { readonly setting: string; readonly edits: number } | undefined;
  for (const setting of variableNames) {
    const edits = editsBetween(name, setting);
    if (edits !== undefined && edits < (nearest?.edits ?? Number.POSITIVE_INFINITY)) nearest = { setting, edits };
  }
  return nearest?.setting;
}

/** Returns the number of edits between a name and a setting, or undefined if it is too large for a mistake. */
function editsBetween(name: string, setting: string): number | undefined {
  const [given, wanted] = [lettersOf(name), lettersOf(setting)];
  if (given === wanted) return 0;
  const isSwapped = given.length === wanted.length && sorted(given) === sorted(wanted);
  if (wanted.length < shortestFuzzyLength) return isSwapped && editDistance(given, wanted) === 1 ? 1 : undefined;
  const maxEdits = wanted.length < twoEditsFrom ? 1 : 2;
  const edits = Math.min(
    ...[[given, wanted] as const, [singular(name), singular(setting)] as const].map(([one, other]) =>
      // The difference in length is the least number of edits; most names of an environment need no further comparison.
      Math.abs(one.length - other.length) > maxEdits ? Number.POSITIVE_INFINITY : editDistance(one, other),
    ),
  );
  return edits <= maxEdits ? edits : undefined;
}

/** Drops the differences that are mistakes for a name of any length: case, underscores, dashes and dots. */
function lettersOf(name: string): string {
  return name.toUpperCase().replaceAll(/[_.-]/g, '');
}

/** As `lettersOf`, with each word in the singular. */
function singular(name: string): string {
  const words = name.toUpperCase().split(/[_.-]/);
  return words.map((word) => word.replace(/IES$/, 'Y').replace(/(?<=..)S$/, '')).join('');
}

function sorted(text: string): string {
  return [...text].sort().join('');
}
