/** What the tests do with a snippet. The README of this package describes each one. */
const actions = ['run', 'write', 'start', 'stop', 'setup', 'output', 'fragment', 'shown'] as const;

/** The tracks that a page is tested in. A reader sees them as tabs. */
export const tracks = ['curl', 'TypeScript', 'Python', 'Go'] as const;

/** One of the tracks. */
export type Track = (typeof tracks)[number];

type Action = (typeof actions)[number];

/** A fenced block of a page. */
export interface Snippet {
  /** The language for highlighting: the first word of the info string. */
  readonly language: string;
  /** Null: text that no program reads, such as a diagram. */
  readonly action: Action | null;
  /** The snippet, or the output, belongs to one of several tabs. */
  readonly isTab: boolean;
  /** The file that a run or a write creates. */
  readonly file: string | null;
  /** The exit code of a run; null for zero. */
  readonly exitCode: number | null;
  readonly code: string;
  /** The line of the fence in the Markdown file, from 1. */
  readonly line: number;
}

/** Languages of text that no program reads. */
const textLanguages = ['text', 'http'];
const trackOfLanguage: Readonly<Record<string, Track>> = {
  sh: 'curl',
  ts: 'TypeScript',
  py: 'Python',
  go: 'Go',
};

function isAction(word: string): word is Action {
  return actions.some((action) => action === word);
}

/**
 * Reads the info string of a fence: a language, an action, and `tab`, `file=NAME` or `exit=CODE`.
 * Throws if a word is unknown, or if a snippet has neither an action nor a language of plain text.
 */
export function readSnippet({ info, code, line }: { info: string; code: string; line: number }): Snippet {
  const [language = '', ...words] = info.trim().split(/\s+/);
  const snippet = { language, code, line, ...noWords };
  try {
    for (const word of words) Object.assign(snippet, readWord(word));
    checkSnippet(snippet);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Line ${line}: \`\`\`${info}: ${reason}`, { cause });
  }
  return snippet;
}

type Words = Pick<Snippet, 'action' | 'isTab' | 'file' | 'exitCode'>;
const noWords: Words = { action: null, isTab: false, file: null, exitCode: null };

function readWord(word: string): Partial<Words> {
  const [name, value] = word.split('=', 2);
  if (isAction(word)) return { action: word };
  if (word === 'tab') return { isTab: true };
  if (name === 'file' && value) return { file: value };
  if (name === 'exit' && value && /^\d+$/.test(value)) return { exitCode: Number(value) };
  throw new Error(`"${word}" is unknown. Use ${actions.join(', ')}, tab, file=NAME or exit=CODE.`);
}

function checkSnippet({ language, action, isTab, file }: Snippet): void {
  if (action === null && !textLanguages.includes(language)) {
    const all = actions.join(', ');
    throw new Error(`say what the test does with it: ${all}. Only ${textLanguages.join(' and ')} need no action.`);
  }
  if (action === 'write' && file === null) throw new Error('a written file needs file=NAME.');
  if (isTab && action !== 'output' && trackOfLanguage[language] === undefined) {
    throw new Error(`a tab is in ${Object.keys(trackOfLanguage).join(', ')}.`);
  }
}

/** Snippets that stand together: the tabs of one step, or a single snippet with its output. */
export interface SnippetGroup {
  readonly tabs: readonly SnippetTab[];
}

/** One tab: its snippets in order, such as a command and its output. Null: the snippet belongs to every track. */
export interface SnippetTab {
  readonly track: Track | null;
  readonly snippets: readonly Snippet[];
}

/**
 * Forms groups from fences that follow each other without text between them. A fence with `tab` opens a tab; an
 * `output tab` belongs to the tab before it; everything else stands alone.
 */
export function groupSnippets(snippets: readonly Snippet[]): SnippetGroup[] {
  const groups: Group[] = [];
  for (const snippet of snippets) {
    const open = groups.at(-1);
    if (snippet.isTab && open !== undefined && addToGroup(open, snippet)) continue;
    if (snippet.isTab && snippet.action === 'output')
      throw new Error(`Line ${snippet.line}: no tab precedes this output.`);
    groups.push({ tabs: [{ track: snippet.isTab ? trackOf(snippet) : null, snippets: [snippet] }] });
  }
  return groups;
}

interface Group {
  readonly tabs: { readonly track: Track | null; readonly snippets: Snippet[] }[];
}

function trackOf({ language }: Snippet): Track | null {
  return trackOfLanguage[language] ?? null;
}

/** Adds a snippet to the open group. Returns false if it starts another one. */
function addToGroup({ tabs }: Group, snippet: Snippet): boolean {
  const last = tabs.at(-1);
  if (last === undefined || last.track === null) return false;
  const track = trackOf(snippet);
  const followsFile = last.track === track && last.snippets.at(-1)?.action === 'write';
  if (snippet.action === 'output' || followsFile) {
    last.snippets.push(snippet);
    return true;
  }
  if (tabs.some((tab) => tab.track === track)) return false;
  tabs.push({ track, snippets: [snippet] });
  return true;
}
