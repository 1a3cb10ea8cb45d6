import {
  type ConnectionBudget,
  type ConnectionCounts,
  createConnectionBudget,
} from '../db/postgres/connection-budget.ts';

/** The connections of this process to the servers that hold tenants. */
export interface ServerConnections {
  /** The budget of a server, named `host:port`, which all tenants on it share. */
  budgetOf(server: string): ConnectionBudget;
  /** What is open now, of each server that was used. */
  counts(): readonly ({ readonly server: string } & ConnectionCounts)[];
}

/** Makes the budgets of all servers: each has up to `perServer` connections. */
export function createServerConnections(perServer: number): ServerConnections {
  const budgets = new Map<string, ConnectionBudget>();
  return {
    budgetOf(server) {
      const known = budgets.get(server);
      if (known !== undefined) return known;
      const budget = createConnectionBudget({ server, limit: perServer });
      budgets.set(server, budget);
      return budget;
    },
    counts: () => [...budgets].map(([server, { counts }]) => ({ server, ...counts })),
  };
}
