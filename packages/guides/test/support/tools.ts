import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compileCache, launcher, repositoryRoot } from './service.ts';

/** The commands of a reader's machine: Node, Python, and a package manager that needs no network. */
export interface Tools {
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** `npm install` downloads our own package and links others from the repository; everything else is npm's. */
function npmScript(): string {
  return `#!/bin/sh
set -eu
case "\${1:-}" in
install | i | add) shift ;;
*) exec "${npmPath()}" "$@" ;;
esac
unpack() { mkdir -p node_modules/@licensing/sdk && tar -xz --strip-components=1 -C node_modules/@licensing/sdk; }
for name in "$@"; do
  case "$name" in
  -*) ;;
  http:*/licensing-sdk.tgz) curl -fsS "$name" | unpack ;;
  ./licensing-sdk.tgz) unpack < "$name" ;;
  *)
    found=
    for modules in "${repositoryRoot}/node_modules" "${repositoryRoot}/examples/test/frameworks/node_modules"; do
      [ -n "$found" ] || [ ! -d "$modules/$name" ] || found="$modules/$name"
    done
    [ -n "$found" ] || { echo "$name is not in the repository" >&2; exit 1; }
    mkdir -p "$(dirname "node_modules/$name")"
    ln -sfn "$found" "node_modules/$name" ;;
  esac
done
`;
}

/** `pip install` downloads a wheel, and unpacks and compiles it where Python finds it. Each page has the same wheel. */
function pipScript(packages: string): string {
  return `#!/bin/sh
set -eu
[ "$1" = install ]
curl -fsS -o '${packages}.new' "$2"
cmp -s '${packages}.new' '${packages}.zip' && exit
rm -rf '${packages}'
python3 -m zipfile -e '${packages}.new' '${packages}'
python3 -m compileall -q '${packages}'
mv '${packages}.new' '${packages}.zip'
`;
}

function npmPath(): string {
  return spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
}

/** Creates the commands. `remove` deletes them. */
export function createTools(): Tools {
  const folder = mkdtempSync(join(tmpdir(), 'licensing-tools-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const command = (name: string, text: string) => {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  };
  command('npm', npmScript());
  command('licensing', `#!/bin/sh\nexec node '${launcher}' "$@"\n`);
  command(
    'keygen-import',
    `#!/bin/sh\nexec node '${join(repositoryRoot, 'packages/keygen-import/src/main.ts')}' "$@"\n`,
  );
  const pythonPackages = join(folder, 'python');
  command('pip', pipScript(pythonPackages));
  symlinkSync('/usr/bin/python3', join(bin, 'python3'));
  symlinkSync('/usr/bin/python3', join(bin, 'python'));
  return {
    env: {
      PATH: [bin, dirname(process.execPath), process.env['PATH']].join(':'),
      PYTHONPATH: pythonPackages,
      PYTHONDONTWRITEBYTECODE: '1',
      GOCACHE: process.env['GOCACHE'] ?? join(homedir(), '.cache', 'go-build'),
      GOFLAGS: '-modcacherw',
      NODE_COMPILE_CACHE: compileCache,
      NO_COLOR: '1',
      TMPDIR: folder,
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
