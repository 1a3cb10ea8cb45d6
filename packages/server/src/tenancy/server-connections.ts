import {
  type ConnectionBudget,
  type ConnectionCounts,
  createConnectionBudget,
} from '../db/postgres/connection-budget.ts';

/** The connections of this process to the PostgreSQL servers that hold tenants. */
export interface ServerConnections {
  /** Returns the connection budget of a server (`host:port`), which all tenants on that server share. */
  budgetOf(server: string): ConnectionBudget;
  /** Returns the current connection counts of each server that was used. */
  counts(): readonly ({ readonly server: string } & ConnectionCounts)[];
}

/** Creates the budgets of all servers; each budget allows up to `perServer` connections. */
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
