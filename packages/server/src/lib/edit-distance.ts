/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn one text into another:
 * the optimal string alignment distance, a restricted Damerau-Levenshtein distance
 * (https://en.wikipedia.org/wiki/Damerau-Levenshtein_distance#Optimal_string_alignment_distance). Returns infinity as
 * soon as the number must be greater than `max`.
 */
export function editDistance(one: string, other: string, max: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  let current: number[] = [];
  let lastMin = 0;
  for (let row = 1; row <= one.length; row += 1) {
    current[0] = row;
    let currentMin = row;
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const edits = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      current[column] = edits;
      currentMin = Math.min(currentMin, edits);
    }
    // The next rows continue from these two, and never with fewer edits.
    if (currentMin > max && lastMin > max) return Number.POSITIVE_INFINITY;
    lastMin = currentMin;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  const edits = at(last, other.length);
  return edits > max ? Number.POSITIVE_INFINITY : edits;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
