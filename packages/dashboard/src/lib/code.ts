const codeMaxLength = 64;

/** Proposes a code for a name: `Pro, one year` becomes `pro-one-year`. Empty for a name without letters and digits. */
export function proposeCode(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, codeMaxLength)
    .replaceAll(/^-+|(?<!-)-+$/g, '');
}
