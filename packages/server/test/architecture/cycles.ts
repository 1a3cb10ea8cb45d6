/** One edge of a graph: `from` depends on `to`. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns one shortest cycle through each node that lies on a cycle, without repeating a cycle: `['a', 'b', 'a']`.
 * Edges from a node to itself do not count.
 */
export function findCycles(edges: readonly Edge[]): string[][] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    if (from === to) continue;
    const known = targets.get(from) ?? new Set();
    targets.set(from, known.add(to));
  }
  const seen = new Set<string>();
  const cycles: string[][] = [];
  for (const start of [...targets.keys()].sort()) {
    const cycle = shortestCycle(targets, start);
    if (cycle === undefined) continue;
    const members = [...new Set(cycle)].sort().join(' ');
    if (!seen.has(members)) cycles.push(cycle);
    seen.add(members);
  }
  return cycles;
}

function shortestCycle(targets: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | undefined {
  const paths: string[][] = [[start]];
  const visited = new Set<string>();
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const last = path.at(-1) ?? start;
    for (const next of targets.get(last) ?? []) {
      if (next === start) return [...path, start];
      if (visited.has(next)) continue;
      visited.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}
