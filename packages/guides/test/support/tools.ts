import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { launcher, repositoryRoot } from './service.ts';

const sdk = join(repositoryRoot, 'packages', 'sdk');

/** The commands of a reader's machine: Node, Python, and a package manager that needs no network. */
export interface Tools {
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** Packages the SDK as it would be published. Returns the file, or null if the repository has no SDK. */
function packSdk(folder: string): string | null {
  if (!existsSync(join(sdk, 'package.json'))) return null;
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--pack-destination', folder, '--silent'], {
    cwd: sdk,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  return join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

/** `npm install` unpacks our own package and links others from the repository; everything else is npm's. */
function npmScript(tarball: string | null): string {
  return `#!/bin/sh
set -eu
case "\${1:-}" in
install | i | add) shift ;;
*) exec "${npmPath()}" "$@" ;;
esac
for name in "$@"; do
  case "$name" in
  -*) ;;
  @licensing/sdk)
    mkdir -p node_modules/@licensing/sdk
    tar -xzf '${tarball}' --strip-components=1 -C node_modules/@licensing/sdk ;;
  *)
    [ -d "${repositoryRoot}/node_modules/$name" ] || { echo "$name is not in the repository" >&2; exit 1; }
    mkdir -p "$(dirname "node_modules/$name")"
    ln -sfn "${repositoryRoot}/node_modules/$name" "node_modules/$name" ;;
  esac
done
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
  command('npm', npmScript(packSdk(folder)));
  command('licensing', `#!/bin/sh\nexec node '${launcher}' "$@"\n`);
  // The Python SDK is found through PYTHONPATH.
  command('pip', '#!/bin/sh\n[ "$1 $2" = "install licensing-sdk" ]\n');
  symlinkSync('/usr/bin/python3', join(bin, 'python3'));
  symlinkSync('/usr/bin/python3', join(bin, 'python'));
  return {
    env: {
      PATH: [bin, dirname(process.execPath), process.env['PATH']].join(':'),
      PYTHONPATH: join(repositoryRoot, 'sdks', 'python', 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      NO_COLOR: '1',
      TMPDIR: folder,
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
