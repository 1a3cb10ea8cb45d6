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

/** The settings that decide where data lives: without one, the service would begin with empty data somewhere else. */
const storageSettings: ReadonlySet<string> = new Set([
  'DATA_DIR',
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'TENANT_DATABASE_URLS',
  'TENANT_DATABASE_URLS_FILE',
]);

/** Sentences about variables of the environment that are not settings but nearly have the name of one. */
interface Misspellings {
  /** The variable is one edit away from a setting that decides where data lives and that is absent. */
  readonly refused: readonly string[];
  /** Any other: it may belong to another program. */
  readonly warnings: readonly string[];
}

/** Returns the misspelled settings in the order of the environment. Empty variables count as absent. */
export function misspelledSettings(env: NodeJS.ProcessEnv): Misspellings {
  const refused: string[] = [];
  const warnings: string[] = [];
  for (const [name, value = ''] of Object.entries(env)) {
    if (!value.trim() || isServiceLink(name, value.trim())) continue;
    const meant = nearest(name);
    if (meant === undefined) continue;
    const { setting, edits } = meant;
    const isRefused = edits <= 1 && storageSettings.has(setting) && !env[setting]?.trim();
    const list = isRefused ? refused : warnings;
    list.push(`${name} is not a setting; did you mean ${setting}? Rename it, or remove it.`);
  }
  return { refused, warnings };
}

/** A name in the forms that are compared. */
interface Spelling {
  readonly name: string;
  readonly letters: string;
  readonly singular: string;
}

function spellingOf(name: string): Spelling {
  return { name, letters: lettersOf(name), singular: singularOf(name) };
}

const settings = variableNames.map(spellingOf);

/** Returns the setting with the most similar name; undefined if `name` is a setting, or if no setting is similar. */
export function nearestSetting(name: string): string | undefined {
  return nearest(name)?.setting;
}

function nearest(name: string): { readonly setting: string; readonly edits: number } | undefined {
  if (variableNames.includes(name) || foreign.has(name)) return undefined;
  const given = spellingOf(name);
  let found: { readonly setting: string; readonly edits: number } | undefined;
  for (const setting of settings) {
    const edits = editsBetween(given, setting);
    if (edits !== undefined && edits < (found?.edits ?? Number.POSITIVE_INFINITY)) {
      found = { setting: setting.name, edits };
    }
  }
  return found;
}

/** Returns the number of edits between a name and a setting, or undefined if it is too large for a mistake. */
function editsBetween(given: Spelling, wanted: Spelling): number | undefined {
  if (given.letters === wanted.letters) return 0;
  if (wanted.letters.length < shortestFuzzyLength) {
    const isSwapped =
      given.letters.length === wanted.letters.length && sorted(given.letters) === sorted(wanted.letters);
    return isSwapped && editDistance(given.letters, wanted.letters, 1) === 1 ? 1 : undefined;
  }
  const maxEdits = wanted.letters.length < twoEditsFrom ? 1 : 2;
  const edits = Math.min(
    editsUpTo(maxEdits, given.letters, wanted.letters),
    editsUpTo(maxEdits, given.singular, wanted.singular),
  );
  return edits <= maxEdits ? edits : undefined;
}

/** Returns infinity at once if the lengths differ too much, as those of most names in an environment do. */
function editsUpTo(maxEdits: number, one: string, other: string): number {
  const isTooLong = Math.abs(one.length - other.length) > maxEdits;
  return isTooLong ? Number.POSITIVE_INFINITY : editDistance(one, other, maxEdits);
}

/** Drops the differences that are mistakes for a name of any length: case, underscores, dashes and dots. */
function lettersOf(name: string): string {
  return name.toUpperCase().replaceAll(/[_.-]/g, '');
}

/** As `lettersOf`, with each word in the singular. */
function singularOf(name: string): string {
  const words = name.toUpperCase().split(/[_.-]/);
  return words.map((word) => word.replace(/IES$/, 'Y').replace(/(?<=..)S$/, '')).join('');
}

function sorted(text: string): string {
  return [...text].sort().join('');
}

/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn one text into another:
 * the optimal string alignment distance, a restricted Damerau-Levenshtein distance
 * (https://en.wikipedia.org/wiki/Damerau-Levenshtein_distance#Optimal_string_alignment_distance). Returns infinity as
 * soon as the number must be greater than `max`.
 */
export function editDistance(one: string, other: string, max: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  let current: number[] = [];
  let lastMin = 0;
  for (let row = 1; row <= one.length; row += 1) {
    current[0] = row;
    let currentMin = row;
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const edits = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      current[column] = edits;
      currentMin = Math.min(currentMin, edits);
    }
    // The next rows continue from these two, and never with fewer edits.
    if (currentMin > max && lastMin > max) return Number.POSITIVE_INFINITY;
    lastMin = currentMin;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  const edits = at(last, other.length);
  return edits > max ? Number.POSITIVE_INFINITY : edits;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
