import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from './service.ts';

// CMake writes files that end in .ts too.
const foreign = ['node_modules', 'CMakeFiles'];

/** The TypeScript of readers. One run of the compiler checks all of it, because each run reads its libraries again. */
export class TypeScriptOfReaders {
  readonly #folder = mkdtempSync(join(tmpdir(), 'licensing-types-'));

  /** Adds the project that a reader made from a page. Errors contain its name. */
  add(project: string, name: string): void {
    renameSync(project, join(this.#folder, name.replaceAll(/[^\w.-]/g, '_')));
  }

  /** Returns the errors of the strict compiler. */
  errors(): string {
    const files = globSync('**/*.{ts,tsx}', { cwd: this.#folder, exclude: (name) => foreign.includes(name) });
    if (files.length === 0) return '';
    const options = {
      compilerOptions: {
        ...{ strict: true, noEmit: true, target: 'esnext', module: 'nodenext', allowImportingTsExtensions: true },
        jsx: 'react-jsx',
        ...{ skipLibCheck: true, types: ['node'], typeRoots: [join(repositoryRoot, 'node_modules', '@types')] },
      },
      files,
    };
    writeFileSync(join(this.#folder, 'tsconfig.json'), JSON.stringify(options));
    const compiler = join(repositoryRoot, 'node_modules', '.bin', 'tsc');
    const { status, stdout } = spawnSync(compiler, ['-p', this.#folder], { encoding: 'utf8' });
    return status === 0 ? '' : stdout || `The compiler ended with ${status}.`;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
