import { CompiledQuery, type Kysely, type QueryExecutor, type QueryResult } from 'kysely';
import { engine } from '../support/harness.ts';

/** The rules that query plans must satisfy. */
export interface PlanRules {
  /** Tables with so many rows that no statement may read all of them. */
  readonly bigTables: ReadonlySet<string>;
  /** Indexes that may be scanned from their beginning, because a limit ends the scan soon or they contain few rows. */
  readonly scans: readonly string[];
  /** Indexes of which a statement may read very many rows to count or to sum them up. */
  readonly counted?: readonly string[];
}

/** Checks the plan of every statement while `rules` is set. */
export interface PlanWatch {
  /** Undefined: plans are not checked. */
  rules: PlanRules | undefined;
  /** The violations, each with its statement. */
  problems: string[];
  /** The number of checked statements; counted only after it was set to 0. */
  statements?: number;
}

type Execute = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/**
 * Checks the plan of every statement of a database's query builder, with its parameters, right before it runs. Prepared
 * reads are not checked.
 */
export function watchPlans(db: Kysely<never>, watch: PlanWatch): void {
  watchExecutor(db.getExecutor(), watch, false);
}

function watchExecutor(executor: QueryExecutor, watch: PlanWatch, isInTransaction: boolean): void {
  const execute = executor.executeQuery.bind(executor);
  const withConnectionProvider = executor.withConnectionProvider.bind(executor);
  executor.executeQuery = async (query, ...rest) => {
    const { rules } = watch;
    if (rules !== undefined && /^(with|select|insert|update|delete)\b/.test(query.sql)) {
      const problems = await planProblems({ query, execute, isInTransaction }, rules);
      if (watch.statements !== undefined) watch.statements += 1;
      watch.problems.push(...problems.map((problem) => `${problem} in ${query.sql}`));
    }
    return await execute(query, ...rest);
  };
  executor.withConnectionProvider = (provider) => {
    const ofTransaction = withConnectionProvider(provider);
    watchExecutor(ofTransaction, watch, true);
    return ofTransaction;
  };
}

interface Statement {
  readonly query: CompiledQuery;
  readonly execute: Execute;
  /** True if the statement may be run and rolled back. */
  readonly isInTransaction: boolean;
}

/** More rows than a list collects (5,000): a step that reads more is treated as reading the whole table. */
const rowsReadMax = 6_000;

/** Returns how the plan of a statement violates the rules; empty if it does not. */
export function planProblems(statement: Statement, rules: PlanRules): Promise<string[]> {
  return engine === 'sqlite' ? sqliteProblems(statement, rules) : postgresProblems(statement, rules);
}

async function explain<Row>({ query, execute }: Statement, prefix: string): Promise<Row[]> {
  const { rows } = await execute(CompiledQuery.raw(`${prefix} ${query.sql}`, [...query.parameters]));
  return rows as Row[];
}

interface PlanStep {
  readonly id: number;
  /** The step to which this one belongs. The loops of a query and the sorting of their rows have the same parent. */
  readonly parent: number;
  readonly detail: string;
}

/** Matches a search by a key, which reads as many rows as the statement has values. */
const isByKey = /\((id|attempt_id)=\?\)$/;

async function sqliteProblems(statement: Statement, { bigTables, scans }: PlanRules): Promise<string[]> {
  const steps = await explain<PlanStep>(statement, 'explain query plan');
  const isScan = ({ detail }: PlanStep) => {
    const [, table = '', index] = /^SCAN (\w+)(?: .*?USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
    return bigTables.has(table) && (index === undefined || !scans.includes(index));
  };
  const readsBigTable = ({ detail }: PlanStep) =>
    bigTables.has(/^(?:SCAN|SEARCH) (\w+)/.exec(detail)?.[1] ?? '') && !isByKey.test(detail);
  // Subqueries return at most a page or the rows collected for one, so sorting a join that starts with one is allowed.
  const firstLoop = (parent: number) =>
    steps.find((step) => step.parent === parent && /^S(CAN|EARCH) /.test(step.detail));
  const isSort = ({ detail, parent }: PlanStep) => {
    const loop = detail.startsWith('USE TEMP B-TREE') ? firstLoop(parent) : undefined;
    // An index that may be read whole has few rows.
    return loop !== undefined && readsBigTable(loop) && !scans.some((index) => loop.detail.includes(index));
  };
  return steps.filter((step) => isScan(step) || isSort(step)).map((step) => step.detail);
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  /** Absent if the statement was planned but not run. */
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function withChildren(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(withChildren)];
}

interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[];
}

/**
 * Returns the plan of a statement with the number of rows that it reads, for which it must run. A statement that writes
 * is rolled back; outside a transaction it is only planned.
 */
async function postgresPlan(statement: Statement): Promise<Explained[]> {
  const { query, execute, isInTransaction } = statement;
  const writes = !query.sql.startsWith('select');
  if (writes && !isInTransaction) return await explain<Explained>(statement, 'explain (format json)');
  const run = () => explain<Explained>(statement, 'explain (analyze, timing off, format json)');
  if (!writes) return await run();
  await execute(CompiledQuery.raw('savepoint before_plan'));
  const plan = await run();
  await execute(CompiledQuery.raw('rollback to savepoint before_plan'));
  return plan;
}

async function postgresProblems(statement: Statement, rules: PlanRules): Promise<string[]> {
  const nodes = (await postgresPlan(statement))
    .flatMap((row) => row['QUERY PLAN'])
    .flatMap(({ Plan }) => withChildren(Plan));
  return nodes.flatMap((node) => {
    const step = [node['Node Type'], node['Relation Name'], node['Index Name']].filter(Boolean).join(' ');
    const rowsRead = (node['Actual Loops'] ?? 0) * ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0));
    const readsAll = isUnconditional(node, rules) ? [`${step} without a condition`] : [];
    const isCount = node['Node Type'] === 'Index Only Scan' && rules.counted?.includes(node['Index Name'] ?? '');
    return rowsRead > rowsReadMax && !isCount ? [...readsAll, `${step} read ${rowsRead} rows`] : readsAll;
  });
}

function isUnconditional(node: PlanNode, rules: PlanRules): boolean {
  const table = node['Relation Name'] ?? '';
  if (!rules.bigTables.has(table)) return false;
  if (node['Node Type'] === 'Seq Scan') return true;
  const index = node['Index Name'];
  return index !== undefined && node['Index Cond'] === undefined && !rules.scans.includes(index);
}
