import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sampleBaseUrl } from '../../src/markdown/highlight.ts';
import type { Snippet, Track } from '../../src/snippets/snippet.ts';
import { isOutput } from './output.ts';
import type { GuidePage } from './pages.ts';
import { type Service, startService } from './service.ts';
import type { Tools } from './tools.ts';
import type { TypeScriptOfReaders } from './types.ts';
import { demoWorld, type World } from './world.ts';

/** Ends a snippet that hangs. */
const timeLimitMs = 60_000;
const sourceFile: Readonly<Record<string, string>> = { ts: 'snippet.ts', py: 'snippet.py' };
/** A snippet that creates products or policies. A reader may repeat the page, or have them already. */
const creates = /\b(products|policies)\b/;
const interpreters: Readonly<Record<string, string>> = { ts: 'node', py: 'python3' };

/**
 * Follows a page as a reader would: in an empty folder, snippet by snippet, in one language. Variables and the working
 * directory of shell snippets last until the end of the page.
 */
export class Reader {
  readonly #page: GuidePage;
  readonly #track: Track;
  readonly #tools: Tools;
  readonly #types: TypeScriptOfReaders;
  readonly #startOwn: () => Promise<Service>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'licensing-reader-'));
  /** Bash restores it before and saves it after each snippet: variables, and the working directory. */
  readonly #session = join(this.#folder, '.session');
  readonly #processGroups: number[] = [];
  #world: World | null;
  #own: Service | null = null;
  #output = '';

  constructor(
    page: GuidePage,
    track: Track,
    {
      tools,
      types,
      world,
      startOwn = startService,
    }: {
      readonly tools: Tools;
      /** Gets the TypeScript that the page made. */
      readonly types: TypeScriptOfReaders;
      readonly world: World | null;
      readonly startOwn?: () => Promise<Service>;
    },
  ) {
    this.#page = page;
    this.#track = track;
    this.#tools = tools;
    this.#types = types;
    this.#world = world;
    this.#startOwn = startOwn;
    mkdirSync(join(this.#folder, 'project'));
    writeFileSync(
      join(this.#folder, 'project', 'package.json'),
      '{ "name": "app", "private": true, "type": "module" }\n',
    );
    writeFileSync(this.#session, `cd '${join(this.#folder, 'project')}'\n`);
  }

  /** Runs every snippet of the page. Throws an error that names the page and the line of the first failure. */
  async follow(): Promise<void> {
    for (const { tabs } of this.#page.groups) {
      const tab = tabs.find(({ track }) => track === this.#track) ?? tabs[0];
      for (const snippet of tab?.snippets ?? []) {
        await this.#do(snippet).catch((error: Error) => {
          const place = `packages/guides/pages/${this.#page.path}:${snippet.line} (${this.#track})`;
          throw new Error(`${place}: ${error.message}`, { cause: error });
        });
      }
    }
    this.#types.add(join(this.#folder, 'project'), `${this.#page.path} ${this.#track}`);
  }

  /** Ends what the snippets started, and deletes the folder. */
  async close(): Promise<void> {
    for (const group of this.#processGroups) {
      try {
        process.kill(-group, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    await this.#own?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #do(snippet: Snippet): Promise<void> {
    if (snippet.action === 'run') {
      await this.#run(snippet);
      if (creates.test(snippet.code)) await this.#run(snippet);
    } else if (snippet.action === 'write') this.#write(snippet);
    else if (snippet.action === 'start') await this.#start(snippet);
    else if (snippet.action === 'stop') await this.#stop(snippet);
    else if (snippet.action === 'setup') await this.#setUp(snippet);
    else if (snippet.action === 'output') this.#compare(snippet);
    else if (snippet.action === 'fragment') this.#findFragment(snippet);
  }

  #text(snippet: Snippet): string {
    return this.#world === null ? snippet.code : snippet.code.replaceAll(sampleBaseUrl, this.#world.url);
  }

  /** Returns the folder that the last shell snippet was in. */
  #workingDirectory(): string {
    return /^cd '(.*)'$/m.exec(readFileSync(this.#session, 'utf8'))?.[1] ?? this.#folder;
  }

  #write(snippet: Snippet): string {
    const path = join(this.#workingDirectory(), snippet.file ?? sourceFile[snippet.language] ?? 'snippet');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.#text(snippet));
    return path;
  }

  async #run(snippet: Snippet): Promise<void> {
    if (snippet.language === 'sh') return this.#bash(this.#text(snippet), snippet.exitCode ?? 0);
    const interpreter = interpreters[snippet.language];
    if (interpreter === undefined) throw new Error(`Nothing runs ${snippet.language}.`);
    const path = this.#write(snippet);
    return this.#bash(`${interpreter} '${path}'`, snippet.exitCode ?? 0);
  }

  /** Runs a shell snippet. Its background processes keep running until the page ends. */
  async #bash(script: string, expectedCode: number): Promise<void> {
    const outputFile = join(this.#folder, '.output');
    const errorFile = join(this.#folder, '.errors');
    const [output, errors] = [openSync(outputFile, 'w'), openSync(errorFile, 'w')];
    const whole = [
      `. '${this.#session}'`,
      `trap '{ declare -px; printf "cd '"'%s'"'\\n" "$PWD"; } | grep -v "^declare -[a-z]*r" > "${this.#session}"' EXIT`,
      'set -euo pipefail',
      script,
    ].join('\n');
    const shell = spawn('/bin/bash', ['-c', whole], {
      cwd: this.#folder,
      env: { HOME: this.#folder, ...this.#tools.env },
      stdio: ['ignore', output, errors],
      detached: true,
    });
    closeSync(output);
    closeSync(errors);
    if (shell.pid !== undefined) this.#processGroups.push(shell.pid);
    const timer = setTimeout(() => shell.kill('SIGKILL'), timeLimitMs);
    const [code] = await once(shell, 'exit');
    clearTimeout(timer);
    this.#output = readFileSync(outputFile, 'utf8');
    const printed = `${this.#output}${readFileSync(errorFile, 'utf8')}`;
    if (code !== expectedCode)
      throw new Error(`the snippet ended with ${code} instead of ${expectedCode}:\n${printed}`);
  }

  /** `npm start` runs the demo; the lines before it fetch the repository. */
  async #start({ code }: Snippet): Promise<void> {
    const lines = code.trim().split('\n');
    const isStart = lines.at(-1) === 'npm start' && lines.slice(0, -1).every((line) => /^(git clone|cd) /.test(line));
    if (!isStart) throw new Error('a start is `git clone …`, `cd …` and `npm start`.');
    this.#own = await this.#startOwn();
    this.#world = demoWorld(this.#own);
    this.#output = this.#own.output();
  }

  /** Ends the service that the page started. Its address stays that of the page. */
  async #stop({ code }: Snippet): Promise<void> {
    if (code.trim() !== 'Ctrl+C' || this.#own === null) throw new Error('a stop is `Ctrl+C`, after a start.');
    await this.#own.stop();
    this.#own = null;
  }

  /** Replaces the values that the page shows with values of this world. */
  async #setUp({ code }: Snippet): Promise<void> {
    const exports: string[] = [];
    for (const line of code.split('\n').filter((text) => text.trim() !== '' && !text.startsWith('#'))) {
      const name = /^export ([A-Z_]+)=/.exec(line)?.[1];
      const value = name === undefined ? undefined : await this.#world?.variable(name);
      if (name === undefined || value === undefined) throw new Error(`the reader has no value for: ${line}`);
      exports.push(`export ${name}='${value}'`);
    }
    await this.#bash(exports.join('\n'), 0);
  }

  #compare({ language, code }: Snippet): void {
    if (isOutput({ language, expected: code, actual: this.#output })) return;
    throw new Error(`the output differs. The page shows:\n${code}\nThe program printed:\n${this.#output}`);
  }

  /** A fragment repeats lines of the page, so that they cannot become wrong. */
  #findFragment({ code }: Snippet): void {
    const lines = new Set(
      this.#page.groups
        .flatMap(({ tabs }) => tabs.flatMap(({ snippets }) => snippets))
        .filter(({ action }) => action === 'run' || action === 'write')
        .flatMap((snippet) => snippet.code.split('\n').map((line) => line.trim())),
    );
    const unknown = code
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '' && line !== '…' && !lines.has(line));
    if (unknown !== undefined) throw new Error(`no snippet of the page that runs has the line: ${unknown}`);
  }
}
