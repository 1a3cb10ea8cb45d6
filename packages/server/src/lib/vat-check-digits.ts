// The check digits of VAT ids, as the European Commission's "VIES VAT number algorithms" and the tax authorities publish
// them. A function gets the id without its country prefix, in a format that was already checked.

/** Tells whether the check digit of an id is right. */
export type CheckDigit = (id: string) => boolean;

const digit = (id: string, index: number) => Number(id[index]);

/** Returns the sum of the first digits, each multiplied by its weight. */
function weighted(id: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * digit(id, index), 0);
}

/** A last digit that makes the weighted sum a multiple of 11. `ten` is what the digit is when it would be 10. */
function modulo11(weights: readonly number[], ten: number | null): CheckDigit {
  return (id) => {
    const expected = (11 - (weighted(id, weights) % 11)) % 11;
    return digit(id, weights.length) === (expected === 10 ? ten : expected);
  };
}

/** A last digit that is the weighted sum modulo 11. */
function modulo11Sum(weights: readonly number[]): CheckDigit {
  return (id) => digit(id, weights.length) === weighted(id, weights) % 11;
}

/** A last digit that makes the weighted sum a multiple of 10. */
function modulo10(weights: readonly number[]): CheckDigit {
  return (id) => digit(id, weights.length) === (10 - (weighted(id, weights) % 10)) % 10;
}

/**
 * Returns the sum of the first `count` digits in which every second one, from the right, counts twice, as the sum of its
 * digits (ISO/IEC 7812, annex B). `doublesLast`: the last one of them counts twice.
 */
function luhnSum(id: string, count: number, doublesLast: boolean): number {
  let sum = 0;
  for (let at = count - 1, doubles = doublesLast; at >= 0; at--, doubles = !doubles) {
    const value = digit(id, at) * (doubles ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum;
}

/** A digit at an index that makes the Luhn sum a multiple of 10. */
function luhn(index: number): CheckDigit {
  return (id) => digit(id, index) === (10 - (luhnSum(id, index, true) % 10)) % 10;
}

const austrian: CheckDigit = (id) => digit(id, 8) === (10 - ((luhnSum(id.slice(1), 7, false) + 4) % 10)) % 10;

/** ISO 7064, MOD 11,10. */
function isoModulo11And10(id: string): boolean {
  let product = 10;
  for (const character of id.slice(0, -1)) {
    const sum = (Number(character) + product) % 10 || 10;
    product = (2 * sum) % 11;
  }
  return (11 - product) % 10 === digit(id, id.length - 1);
}

function irishLetter(id: string): boolean {
  // In the format before 2013, the second character is not a digit, and the last digit moves to the front.
  const digits = /^\d{7}/.test(id) ? id.slice(0, 7) : `0${id.slice(2, 7)}${id[0]}`;
  const second = id.length === 9 ? 'WABCDEFGHI'.indexOf(id[8] ?? '') : 0;
  return id[7] === 'WABCDEFGHIJKLMNOPQRSTUV'[(weighted(digits, [8, 7, 6, 5, 4, 3, 2]) + 9 * second) % 23];
}

function britishPair(id: string): boolean {
  const sum = weighted(id, [8, 7, 6, 5, 4, 3, 2]) + Number(id.slice(7, 9));
  return sum % 97 === 0 || (sum + 55) % 97 === 0;
}

const greek: CheckDigit = (id) => digit(id, 8) === (weighted(id, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10;

/** The check digits by prefix. A country without an entry has none, or one that is not published in full. */
export const checkDigits: ReadonlyMap<string, CheckDigit> = new Map<string, CheckDigit>([
  ['AT', austrian],
  ['BE', (id) => 97 - (Number(id.slice(0, 8)) % 97) === Number(id.slice(8))],
  ['CHE', modulo11([5, 4, 3, 2, 7, 6, 5, 4], null)],
  ['DE', isoModulo11And10],
  ['DK', (id) => weighted(id, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0],
  ['EE', modulo10([3, 7, 1, 3, 7, 1, 3, 7])],
  ['EL', greek],
  ['FI', modulo11([7, 9, 10, 5, 8, 4, 2], null)],
  [
    'FR',
    // A key with a letter has another, unpublished rule.
    (id) => !/^\d{2}/.test(id) || (12 + 3 * (Number(id.slice(2)) % 97)) % 97 === Number(id.slice(0, 2)),
  ],
  ['GB', (id) => !/^\d{9}/.test(id) || britishPair(id)],
  ['HR', isoModulo11And10],
  ['HU', modulo10([9, 7, 3, 1, 9, 7, 3])],
  ['IE', irishLetter],
  ['IT', luhn(10)],
  ['LU', (id) => Number(id.slice(0, 6)) % 89 === Number(id.slice(6))],
  ['MT', (id) => 37 - (weighted(id, [3, 4, 6, 7, 8, 9]) % 37) === Number(id.slice(6))],
  ['NO', modulo11([3, 2, 7, 6, 5, 4, 3, 2], null)],
  ['PL', modulo11Sum([6, 5, 7, 2, 3, 4, 5, 6, 7])],
  ['PT', modulo11([9, 8, 7, 6, 5, 4, 3, 2], 0)],
  ['SE', luhn(9)],
  ['SI', modulo11([8, 7, 6, 5, 4, 3, 2], 0)],
  ['XI', (id) => !/^\d{9}/.test(id) || britishPair(id)],
]);
