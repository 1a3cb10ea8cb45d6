import { expect, test } from 'vitest';
import { fieldChanges } from './field-changes.ts';

test('a changed object is shown by its fields that differ, and other values as they are', () => {
  const holder = { field: 'holder', old: null, new: { name: 'Ada' } };
  const events = { field: 'events', old: ['*'], new: ['license.created'] };
  const retention = { field: 'retention_days', old: { audit: 365, usage: 400 }, new: { audit: 730, usage: 400 } };
  expect(fieldChanges([holder, events, retention])).toEqual([
    holder,
    events,
    { field: 'retention_days.audit', old: 365, new: 730 },
  ]);
});

test('a field that an object gained or lost is a change from or to nothing', () => {
  const metadata = { field: 'metadata', old: { plan: 'gold' }, new: { seats: 3 } };
  expect(fieldChanges([metadata])).toEqual([
    { field: 'metadata.plan', old: 'gold', new: null },
    { field: 'metadata.seats', old: null, new: 3 },
  ]);
});
