// Knows whether a folder that is built from sources is current. Plain JavaScript, because setup.mjs runs on Node 18.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function filesIn(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)));
}

/**
 * Describes a folder that `script`, which runs on Node 26, builds from `inputs`, files and folders. It can be built while
 * `builder`, a package, is installed; a production installation has removed it. `outputs` are the files that it writes
 * beside sources, where git may remove them. `needs`, a built folder, has some of the inputs. All paths start in the
 * repository.
 */
export function builtFolder({ folder, script, inputs, builder, needs, outputs = [], isInput = () => true }) {
  const stampFile = join(root, folder, '.stamp');

  /** Returns a hash of every source: content instead of times, because a checkout changes all times. */
  function sourcesHash() {
    const hash = createHash('sha256');
    const paths = inputs.flatMap((path) => filesIn(join(root, path)));
    for (const path of paths.filter(isInput).sort()) {
      hash.update(`${relative(root, path).replaceAll('\\', '/')}\n`).update(readFileSync(path));
    }
    return hash.digest('hex');
  }

  const isCurrent = () =>
    (needs === undefined || needs.isCurrent()) &&
    outputs.every((path) => existsSync(join(root, path))) &&
    existsSync(stampFile) &&
    readFileSync(stampFile, 'utf8') === sourcesHash();

  /** Builds the folder if it is not current, and ends the process if that fails. */
  function build() {
    if (isCurrent()) return;
    needs?.build();
    const hash = sourcesHash();
    const { status } = spawnSync(process.execPath, [join(root, script)], { stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
    writeFileSync(stampFile, hash);
  }

  return {
    isCurrent,
    build,
    canBuild: () => existsSync(join(root, 'node_modules', builder)),
    /** Builds the folder when the file `url` is what Node was told to run. */
    buildIfMain(url) {
      if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(url)) build();
    },
  };
}
