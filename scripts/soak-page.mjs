// Writes docs/soak.md and its plots from the results of a soak.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawPanels } from './plot.mjs';

const crashColumns = ['engine', 'seed', 'kills', 'acknowledged', 'refused', 'unanswered', 'events', 'duplicates'];
const faultColumns = ['engine', 'fault', 'rounds', 'acknowledged', 'events', 'unavailable', 'slowest'];
const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
const pointsPerPlot = 120;
const mebibyte = 2 ** 20;
/** The kinds of requests whose latency is plotted. */
const plottedKinds = ['validate', 'activate', 'usage', 'change', 'list', 'import'];

const row = (cells) => `| ${cells.join(' | ')} |`;
const table = (columns, rows) => [row(columns), row(columns.map(() => '---')), ...rows.map(row)];

function readLines(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(JSON.parse) : [];
}

/** Returns the result of a fault with the title of its test alone: the groups around it repeat the title. */
const withOwnTitle = (result) =>
  result.fault === undefined ? result : { ...result, fault: result.fault.split(': ').at(-1) };

const tableOf = (columns, file) =>
  table(
    columns,
    readLines(file)
      .map(withOwnTitle)
      .map((result) => columns.map((column) => result[column])),
  );

function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Returns at most 120 points: the median of each group of samples that have the value. */
function seriesOf(samples, name, read) {
  const size = Math.ceil(samples.length / pointsPerPlot);
  const groups = Map.groupBy(samples, (_, index) => Math.floor(index / size));
  const points = [...groups.values()].flatMap((group) => {
    const values = group.map(read).filter((value) => value !== undefined);
    return values.length === 0 ? [] : [{ x: group[0].second / 60, y: median(values) }];
  });
  return { name, points };
}

const plots = [
  {
    file: 'memory',
    title: 'memory in MiB',
    series: (samples) => [
      seriesOf(samples, 'resident', (sample) => sample.residentBytes / mebibyte),
      seriesOf(samples, 'heap', (sample) => sample.heapBytes / mebibyte),
    ],
  },
  {
    file: 'handles',
    title: 'open files and sockets',
    series: (samples) => [seriesOf(samples, 'descriptors', (sample) => sample.handles)],
  },
  {
    file: 'files',
    title: 'databases in MiB',
    series: (samples) => [
      seriesOf(samples, 'databases', (sample) => sample.databaseBytes / mebibyte),
      seriesOf(samples, 'largest write-ahead log', (sample) => sample.largestLogBytes / mebibyte),
    ],
  },
  {
    file: 'bytes-per-row',
    title: 'bytes of the databases per stored row',
    series: (samples) => [
      seriesOf(samples, 'bytes', (sample) => (sample.rows ? sample.databaseBytes / sample.rows : undefined)),
    ],
  },
  {
    file: 'latency-p50',
    title: 'latency in ms, median',
    series: (samples) => plottedKinds.map((kind) => seriesOf(samples, kind, (sample) => sample.latencies[kind]?.p50)),
  },
  {
    file: 'latency-p99',
    title: 'latency in ms, p99',
    series: (samples) => plottedKinds.map((kind) => seriesOf(samples, kind, (sample) => sample.latencies[kind]?.p99)),
  },
  {
    file: 'event-loop',
    title: 'event-loop lag (p99) in ms',
    series: (samples) => [seriesOf(samples, 'lag', (sample) => sample.eventLoopLagMs)],
  },
  {
    file: 'jobs',
    title: 'due background jobs that wait',
    series: (samples) => [seriesOf(samples, 'jobs', (sample) => sample.dueJobs)],
  },
];

function writePlots(folder, loads) {
  mkdirSync(folder, { recursive: true });
  for (const { file, title, series } of plots) {
    const panels = loads.map(({ engine, samples }) => ({
      title: `${engines[engine]}: ${title}`,
      series: series(samples),
    }));
    writeFileSync(join(folder, `soak-${file}.svg`), drawPanels(panels));
  }
}

const inMebibytes = (value) => `${(value / mebibyte).toFixed(1)} MiB`;
const asIs = (value) => value.toFixed(1);
const levels = [
  ['resident memory', 'residentBytes', inMebibytes],
  ['heap', 'heapBytes', inMebibytes],
  ['open files and sockets', 'handles', asIs],
  ['largest write-ahead log', 'largestLogBytes', inMebibytes],
  ['due jobs that wait', 'dueJobs', asIs],
];

function growthRows({ engine, growth, samples }) {
  const late = samples.slice(Math.floor(samples.length / 2));
  const rows = levels.map(([name, key, format]) => {
    const { perHour, allowedPerHour, grows } = growth[key];
    const typical = median(late.map((sample) => sample[key]));
    return [engine, name, format(typical), format(perHour), format(allowedPerHour), grows ? 'grows' : 'does not grow'];
  });
  const { perRow, allowedPerRow, grows } = growth.databaseBytes;
  const verdict = grows ? 'grows' : 'only with its rows';
  const figures = [perRow, allowedPerRow].map((bytes) => `${Math.round(bytes)} bytes per new row`);
  return [...rows, [engine, 'databases', inMebibytes(late.at(-1).databaseBytes), ...figures, verdict]];
}

function countRequests(samples) {
  return samples.flatMap(({ latencies }) => Object.values(latencies)).reduce((sum, { count }) => sum + count, 0);
}

function loadSection(loads) {
  if (loads.length === 0) return [];
  const summary = loads.map(({ engine, minutes, seed, samples }) => {
    const { rows } = samples.findLast((sample) => sample.rows !== undefined);
    return [engine, minutes, seed, countRequests(samples), rows];
  });
  const columns = ['engine', 'level', 'median', 'per hour', 'allowed', 'verdict'];
  return [
    '## Mixed load',
    '',
    'A real process serves tenants that validate, activate, send heartbeats, report usage, fetch certificates, read lists,',
    'change products and licenses, log in, import and export. Endpoints of webhooks succeed, fail or hang. Every response',
    'has the expected status. At the end every acknowledged change exists with its audit record, each event was delivered,',
    'and counters match the reported usage. `LOAD_MINUTES` and `LOAD_SEED` change the run.',
    '',
    ...table(['engine', 'minutes', 'seed', 'requests', 'stored rows at the end'], summary),
    '',
    'The growth is the Theil–Sen slope over the second half of the run. A run fails if a level grows by more than allowed.',
    'Of the heap the lowest value of each three minutes counts, because the heap contains garbage until it is collected.',
    'Databases may grow with their rows, by at most a quarter more per row than in the first half.',
    '',
    ...table(columns, loads.flatMap(growthRows)),
    '',
    ...plots.flatMap(({ file, title }) => [`![The ${title} over time](images/soak-${file}.svg)`, '']),
  ];
}

function pageOf(results, loads) {
  return [
    '# The last soak test',
    '',
    '`npm run test:soak` writes this page after a successful run.',
    '',
    '## Kills',
    '',
    'The test kills the service with SIGKILL at random moments under load and starts it again on the same data. At the end',
    'every acknowledged change exists with its audit record and was reported by a signed event, no event reports anything',
    'else, counters match the reported usage, and no background job is dead.',
    'A full run has 200 kills per engine; the table shows the number of this run.',
    '`CRASH_SEED=… npm run test:soak` repeats the random choices of a run, but not its timing.',
    '',
    ...tableOf(crashColumns, join(results, 'crash.jsonl')),
    '',
    '- **unanswered**: requests without a response because of a kill; each may have taken effect or not.',
    '- **duplicates**: repeated deliveries, because the process died before it recorded their arrival.',
    '',
    '## Faults',
    '',
    'Dependencies of the service fail under load and recover while it runs. No response may be wrong, a 500 or hang,',
    'unaffected tenants are served, and at the end the same conditions hold. A full run has 20 rounds of each fault.',
    '`FAULT_SEED` repeats the random choices of a run.',
    '',
    ...tableOf(faultColumns, join(results, 'faults.jsonl')),
    '',
    '- **unavailable**: requests with the status 503; each may have taken effect or not.',
    '- **slowest**: the longest request, on the machine of the run and beside its other load.',
    '',
    ...loadSection(loads),
  ].join('\n');
}

/** Writes the page and its plots. `results` is the folder of a soak's results. */
export function writePage(root, results) {
  const files = Object.keys(engines).map((engine) => join(results, `load-${engine}.json`));
  const loads = files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, 'utf8')));
  if (loads.length > 0) writePlots(join(root, 'docs', 'images'), loads);
  writeFileSync(join(root, 'docs', 'soak.md'), `${pageOf(results, loads).trimEnd()}\n`);
}
