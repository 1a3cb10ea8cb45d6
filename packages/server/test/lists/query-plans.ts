import { CompiledQuery, type Kysely, type QueryExecutor, type QueryResult } from 'kysely';
import { engine } from '../support/harness.ts';

export interface PlanRules {
  /** Tables that hold so many rows that none may be read as a whole. */
  readonly bigTables: ReadonlySet<string>;
  /** Indexes that may be followed from their beginning, because a limit ends that soon or they hold few rows. */
  readonly walks: readonly string[];
  /** Indexes of which a statement may read very many rows only to count or to sum them up. */
  readonly counted?: readonly string[];
}

/** Looks at the plan of every statement, once it is told to. */
export interface PlanWatch {
  /** Undefined: statements are not looked at. */
  rules: PlanRules | undefined;
  /** What was wrong, with the statement. */
  problems: string[];
  /** How many statements were looked at, where somebody sets it to 0. */
  statements?: number;
}

type Execute = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/**
 * Looks at every statement that goes through a database's query builder, as it was compiled and with its values, right
 * before it runs. Those of prepared reads go another way.
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
  /** True: it may be tried and undone. */
  readonly isInTransaction: boolean;
}

/** More rows than a list gathers: what reads more in one step reads a table, whatever the step is called. */
const rowsReadMax = 6_000;

/** What is wrong with the way in which the engine runs a statement. */
export function planProblems(statement: Statement, rules: PlanRules): Promise<string[]> {
  return engine === 'sqlite' ? sqliteProblems(statement, rules) : postgresProblems(statement, rules);
}

async function explain<Row>({ query, execute }: Statement, prefix: string): Promise<Row[]> {
  const { rows } = await execute(CompiledQuery.raw(`${prefix} ${query.sql}`, [...query.parameters]));
  return rows as Row[];
}

interface PlanStep {
  readonly id: number;
  /** The step that this is a part of: its loops and the sorting of what they find have the same one. */
  readonly parent: number;
  readonly detail: string;
}

/** Finds as many rows as the statement names. */
const isByKey = /\((id|attempt_id)=\?\)$/;

async function sqliteProblems(statement: Statement, { bigTables, walks }: PlanRules): Promise<string[]> {
  const steps = await explain<PlanStep>(statement, 'explain query plan');
  const isScan = ({ detail }: PlanStep) => {
    const [, table = '', index] = /^SCAN (\w+)(?: .*?USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
    return bigTables.has(table) && (index === undefined || !walks.includes(index));
  };
  const readsBigTable = ({ detail }: PlanStep) =>
    bigTables.has(/^(?:SCAN|SEARCH) (\w+)/.exec(detail)?.[1] ?? '') && !isByKey.test(detail);
  // Subqueries hold no more than a page or what was gathered for one: sorting what begins with those is all right.
  const firstLoop = (parent: number) =>
    steps.find((step) => step.parent === parent && /^S(CAN|EARCH) /.test(step.detail));
  const isSort = ({ detail, parent }: PlanStep) => {
    const loop = detail.startsWith('USE TEMP B-TREE') ? firstLoop(parent) : undefined;
    return loop !== undefined && readsBigTable(loop);
  };
  return steps.filter((step) => isScan(step) || isSort(step)).map((step) => step.detail);
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  /** Absent where the statement was planned and not run. */
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

/** To count the rows that a statement reads it has to run; one that writes is undone, or else only planned. */
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
  return index !== undefined && node['Index Cond'] === undefined && !rules.walks.includes(index);
}
