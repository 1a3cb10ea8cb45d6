/** `activation_id` as TypeScript writes it: `activationId`. */
export const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());

/** `activationId` as Python writes it: `activation_id`. */
export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** JSON as an object literal of TypeScript. */
export function typescriptLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2)?.replace(/"([A-Za-z_]\w*)":/g, '$1:') ?? '';
}

/** JSON as a literal of Python. */
export function pythonLiteral(value: unknown): string {
  const text = JSON.stringify(value, null, 4) ?? '';
  return text
    .replace(/(: |^ +)true\b/gm, '$1True')
    .replace(/(: |^ +)false\b/gm, '$1False')
    .replace(/(: |^ +)null\b/gm, '$1None');
}
