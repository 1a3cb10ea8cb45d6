import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Reading and compiling the sources is most of a start; the cache halves it, and only for what is imported after this.
// Where it cannot be written, Node goes on without it.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/licensing', import.meta.url)));

const { commands } = await import('./commands/all.ts');
const { runCommandLine } = await import('./commands/command-line.ts');
const { processTerminal } = await import('./commands/terminal.ts');

process.exitCode = await runCommandLine(commands, process.argv.slice(2), processTerminal());
