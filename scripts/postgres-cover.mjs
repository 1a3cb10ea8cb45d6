// Prints which HTTP suites prove nothing on PostgreSQL that others do not: no statement with its outcome (rows, none, or an
// error) is sent by them alone. Record the statements first, in one run or several:
// RECORD_STATEMENTS=/tmp/statements.jsonl vitest run --project postgres
// Then: node scripts/postgres-cover.mjs /tmp/statements.jsonl
import { readFileSync } from 'node:fs';

const lines = readFileSync(process.argv[2], 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const seconds = new Map(lines.filter((line) => line.seconds).map((line) => [line.file, line.seconds]));
/** The files that sent each statement with each outcome. */
const senders = new Map();
for (const { file, outcome, statement } of lines) {
  if (statement === undefined) continue;
  const sent = `${outcome}: ${statement}`;
  senders.set(sent, (senders.get(sent) ?? new Set()).add(file));
}
// A statement that finds rows somewhere need not find none on PostgreSQL too.
for (const sent of senders.keys()) {
  if (sent.startsWith('none: ') && senders.has(sent.replace('none', 'rows'))) senders.delete(sent);
}

/** Returns the statements that no other file sends. */
const ownOf = (file) => [...senders].filter(([, files]) => files.has(file) && files.size === 1).map(([sent]) => sent);

const suites = [...seconds.keys()].filter((file) => file.endsWith('.http.test.ts'));
suites.sort((left, right) => seconds.get(right) - seconds.get(left));
console.log('seconds  statements that no other file sends');
for (const file of suites) {
  const own = ownOf(file);
  // The next files are judged without it.
  if (own.length === 0) for (const files of senders.values()) files.delete(file);
  console.log(`${seconds.get(file).toFixed(1).padStart(7)}  ${String(own.length).padStart(6)}  ${file}`);
  if (process.argv.includes('--show')) for (const sent of own) console.log(`${' '.repeat(17)}${sent.slice(0, 200)}`);
}
