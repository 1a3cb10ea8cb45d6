import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Reading and compiling the sources takes most of the start time. The compile cache halves it, but only for modules
// that are imported after this call. If the cache cannot be written, Node continues without it.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/licensing', import.meta.url)));

const { commands } = await import('./commands/all.ts');
const { runCommandLine } = await import('./commands/command-line.ts');
const { lowerProcessPriority } = await import('./lib/background-priority.ts');
const { processTerminal } = await import('./commands/terminal.ts');

// All other commands work beside the service.
if (process.argv[2] !== 'serve') lowerProcessPriority();

process.exitCode = await runCommandLine(commands, process.argv.slice(2), processTerminal());
