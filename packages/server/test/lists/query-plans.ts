import { CompiledQuery, type Kysely } from 'kysely';
import { engine } from '../support/harness.ts';

/** A statement that a request sent, and the database that it was sent to. */
export interface SentStatement {
  readonly db: Kysely<unknown>;
  readonly query: CompiledQuery;
}

/** Notes every statement that goes through a database's query builder, as it was compiled and with its values. */
export function recordStatements(db: Kysely<never>, sent: SentStatement[]): void {
  const executor = db.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  executor.executeQuery = (query, ...rest) => {
    if (!query.sql.startsWith('explain')) sent.push({ db: db as unknown as Kysely<unknown>, query });
    return execute(query, ...rest);
  };
}

export interface PlanRules {
  /** Tables that hold so many rows that none may be read as a whole. */
  readonly bigTables: ReadonlySet<string>;
  /** An index that may be followed from its beginning, because the statement's limit ends that soon. */
  readonly walk: string | undefined;
}

/** More rows than a list gathers: what reads more in one step reads a table, whatever the step is called. */
const rowsReadMax = 6_000;

/** What is wrong with the way in which the engine runs a statement. */
export function planProblems({ db, query }: SentStatement, rules: PlanRules): Promise<string[]> {
  return engine === 'sqlite' ? sqliteProblems(db, query, rules) : postgresProblems(db, query, rules);
}

async function explain<Row>(db: Kysely<unknown>, prefix: string, query: CompiledQuery): Promise<Row[]> {
  const { rows } = await db.executeQuery(CompiledQuery.raw(`${prefix} ${query.sql}`, [...query.parameters]));
  return rows as Row[];
}

/** Subqueries that hold no more than a page or what was gathered for one; sorting those is what they are for. */
const isBounded = /^SCAN (found|closed|ended)$/;

async function sqliteProblems(db: Kysely<unknown>, query: CompiledQuery, rules: PlanRules): Promise<string[]> {
  const rows = await explain<{ detail: string }>(db, 'explain query plan', query);
  const details = rows.map((row) => row.detail);
  const scans = details.filter((detail) => {
    const [, table = '', index] = /^SCAN (\w+)(?: .*?USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
    return rules.bigTables.has(table) && (index === undefined || index !== rules.walk);
  });
  const readsBigTable = details.some((detail) => rules.bigTables.has(/^(?:SCAN|SEARCH) (\w+)/.exec(detail)?.[1] ?? ''));
  const mayNotSort = readsBigTable && !details.some((detail) => isBounded.test(detail));
  return [...scans, ...details.filter((detail) => mayNotSort && detail.startsWith('USE TEMP B-TREE'))];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function withChildren(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(withChildren)];
}

async function postgresProblems(db: Kysely<unknown>, query: CompiledQuery, rules: PlanRules): Promise<string[]> {
  const rows = await explain<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    db,
    'explain (analyze, timing off, format json)',
    query,
  );
  const nodes = rows.flatMap((row) => row['QUERY PLAN']).flatMap(({ Plan }) => withChildren(Plan));
  return nodes.flatMap((node) => {
    const step = [node['Node Type'], node['Relation Name'], node['Index Name']].filter(Boolean).join(' ');
    const rowsRead = node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
    const readsAll = isUnconditional(node, rules) ? [`${step} without a condition`] : [];
    return rowsRead > rowsReadMax ? [...readsAll, `${step} read ${rowsRead} rows`] : readsAll;
  });
}

function isUnconditional(node: PlanNode, rules: PlanRules): boolean {
  const table = node['Relation Name'] ?? '';
  if (!rules.bigTables.has(table)) return false;
  if (node['Node Type'] === 'Seq Scan') return true;
  return node['Index Name'] !== undefined && node['Index Cond'] === undefined && node['Index Name'] !== rules.walk;
}
