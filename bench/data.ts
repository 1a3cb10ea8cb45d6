/**
 * Bulk data on both engines: copies of one license that the service created, and of its activation, so that a copy has
 * all columns of the tables. Ids, keys and fingerprints are derived from the number of a copy.
 */

const idOf = (prefix: string, number = 'n') =>
  `'${prefix}-0000-7000-8000-' || substr(cast(1000000000000 + ${number} as text), 2)`;

/** Scrambles a number below 2^32, so that consecutive copies have distant keys in the index. */
const scramble = 2_654_435_761n;
const keyRange = 4_294_967_296n;
const keyBase = 10_000_000_000n;

/** Returns the key of copy `n`, as long as a generated one. */
export function copyKey(n: number): string {
  return `BENCH-COPY-OF-LICENSE-${((BigInt(n) * scramble) % keyRange) + keyBase}`;
}

/** Returns the fingerprint of activation copy `n`. */
export function copyFingerprint(n: number): string {
  return `bench-device-${n}`;
}

/** Returns the id of the activation of copy `n`. */
export function copyActivationId(n: number): string {
  return `01900001-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

/** A row in the form of the database. */
type Template = object & { readonly id: string };

/** Builds `insert into … select …` of `count` copies of a row; `own` overrides columns with SQL over the number `n`. */
function insertCopies(table: string, template: Template, own: Readonly<Record<string, string>>, count: number): string {
  const columns = Object.keys(template);
  const values = columns.map((column) => own[column] ?? `template."${column}"`);
  return `
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
    insert into ${table} (${columns.map((column) => `"${column}"`).join(', ')})
    select ${values.join(', ')}
    from ${table} as template cross join numbers where template.id = '${template.id}'`;
}

/** Returns SQL that copies a license `count` times, numbered from 1. */
export function licenseCopies(license: Template, count: number): string {
  const key = `'BENCH-COPY-OF-LICENSE-' || cast((n * ${scramble}) % ${keyRange} + ${keyBase} as text)`;
  return insertCopies('licenses', license, { id: idOf('01900000'), key }, count);
}

/** Returns SQL that gives every `stride`th of `licenses` copies of a license its own copy of an activation. */
export function activationCopies(activation: Template, licenses: number, stride: number): string {
  const own = { license_id: idOf('01900000', `n * ${stride}`) };
  return insertCopies('activations', activation, { ...ownActivation, ...own }, Math.floor(licenses / stride));
}

/** Returns SQL that copies an activation `count` times within its license. */
export function deviceCopies(activation: Template, count: number): string {
  return insertCopies('activations', activation, ownActivation, count);
}

/** Returns SQL that copies an event, and its delivery to each of its endpoints, `count` times. */
export function deliveryCopies(event: Template, deliveries: readonly Template[], count: number): string[] {
  const own = { event_id: idOf('01900002') };
  return [
    insertCopies('events', event, { id: idOf('01900002') }, count),
    ...deliveries.map((delivery, index) =>
      insertCopies(
        'webhook_deliveries',
        delivery,
        { ...own, id: idOf(`019001${String(index).padStart(2, '0')}`) },
        count,
      ),
    ),
  ];
}

const ownActivation = {
  id: idOf('01900001'),
  fingerprint: "'bench-device-' || cast(n as text)",
};
