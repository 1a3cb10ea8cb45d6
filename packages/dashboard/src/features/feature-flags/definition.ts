type Definition = Readonly<Record<string, unknown>>;

/** Returns whether a flag is on; an application that evaluates another one gets the default of its code. */
export function isEnabled(definition: Definition): boolean {
  return definition['state'] === 'ENABLED';
}

/** Returns the names of a flag's variants. */
export function variantNames({ variants }: Definition): string[] {
  return typeof variants === 'object' && variants !== null ? Object.keys(variants) : [];
}

/** The definition of a new flag. */
export const newDefinition = {
  state: 'ENABLED',
  variants: { on: true, off: false },
  defaultVariant: 'off',
  targeting: { if: [{ in: [{ var: 'plan' }, ['team', 'business']] }, 'on', 'off'] },
};

/** Returns a definition as the editor shows it. */
export function toText(definition: Definition): string {
  return JSON.stringify(definition, null, 2);
}

/** Returns the definition in the editor, or undefined while the text is no JSON object. */
export function fromText(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
