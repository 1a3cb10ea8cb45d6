/** What differs in the code without an event loop. A name in prose has two backticks before it, and stays. */
const differences: readonly (readonly [RegExp, string])[] = [
  [/\basync (?=def |with |for )|\bawait /g, ''],
  [/\b__a(?=(?:enter|exit|iter)__)/g, '__'],
  [/(?<!``)\bAsync(?=[A-Z])/g, ''],
  [/(?<=[._])async_|_async\b/g, ''],
];

/** Returns the module of the Python SDK that does without an event loop what the module `source` does with one. */
export function synchronousModule(source: string, text: string): string {
  const changed = differences.reduce((before, [pattern, replacement]) => before.replaceAll(pattern, replacement), text);
  return `# Generated from ${source} by packages/sdk/scripts/synchronous-python.ts. Do not edit.\n${changed}`;
}
