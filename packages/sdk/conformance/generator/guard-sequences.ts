import { unknownKey } from '../guard/fake-service.ts';
import type { GuardStep } from '../guard/steps.ts';
import {
  clock,
  create,
  day,
  fails,
  type GuardSequence,
  has,
  hour,
  is,
  leaseMs,
  minute,
  networkFails,
  networkWorks,
  pass,
  refresh,
  restart,
  sequence,
  start,
  started,
  taken,
} from './sequence.ts';
import { holders } from './shared-seats.ts';

const basics = [
  sequence('before the start, nothing is licensed and nothing is sent', [create()]),
  sequence('the first start takes a seat and fetches a certificate', [...started, refresh]),
  sequence('concurrent calls share one check', [...started, { step: 'refresh', calls: 3 }]),
  sequence('without a license key', [create({ license_key: '' }), start, pass(hour)]),
  sequence('with a key that no license has', [create({ license_key: unknownKey }), start, refresh]),
  sequence('without a fingerprint, no seat is taken', [create({ fingerprint: null }), start], {
    requires_activation: false,
  }),
  sequence('without a fingerprint, for a license that needs a seat', [create({ fingerprint: null }), start]),
  sequence('without keys, a guard is made only if the application says so', [
    create({ is_signed: false, unsigned: false }),
  ]),
  sequence('keys and unsigned exclude each other', [create({ unsigned: true })]),
  sequence('without a product', [create({ product: null }), start, networkFails, restart]),
  sequence('a license in grace', [is('LICENSE.IN_GRACE'), ...started, is('LICENSE.VALID'), refresh]),
  sequence('stop without a floating seat changes nothing', [...started, { step: 'stop' }, pass(day), start]),
];

const checks = [
  sequence('checks run every hour', [...started, pass(hour - 1), pass(2), pass(5 * hour)]),
  sequence('checks run at the interval of the application', [
    ...[create({ check_interval_ms: 120_000 }), start, pass(119), pass(2), pass(10 * minute)],
  ]),
  sequence('after failures, checks come at 30, 60, 120 … seconds', [...started, networkFails, refresh, pass(hour)]),
  sequence('the interval after a failure can be chosen', [
    ...[create({ retry_interval_ms: 5000 }), start, networkFails, refresh, pass(2 * minute)],
  ]),
  sequence('a success ends the sooner checks', [...started, networkFails, refresh, pass(100), networkWorks, pass(day)]),
  sequence('a short certificate is renewed when half of it is over', [...started, pass(20 * minute)], {
    certificate_seconds: 600,
  }),
  sequence('a certificate that cannot be fetched is asked for soon', [
    { step: 'network_fails', after_calls: 2 },
    ...started,
    networkWorks,
    pass(31),
  ]),
];

const outages = [
  sequence('an outage keeps the certificate until it ends', [
    ...started,
    networkFails,
    refresh,
    pass(day),
    networkWorks,
    refresh,
  ]),
  sequence('a start without a network uses the certificate', [...started, networkFails, restart, pass(day)]),
  sequence('the first start needs the network', [networkFails, ...started, networkWorks, pass(31)]),
  ...[
    [500, 'INTERNAL_ERROR'],
    [503, 'SERVER.OVERLOADED'],
    [401, 'AUTH.INVALID_API_KEY'],
    [403, 'AUTH.SCOPE_REQUIRED'],
    [429, 'RATE_LIMIT.EXCEEDED'],
  ].map(([status, code]) =>
    sequence(`${status} ${code} is no refusal`, [
      ...[
        ...started,
        fails(Number(status), String(code)),
        refresh,
        restart,
        { step: 'service_works' } as const,
        refresh,
      ],
    ]),
  ),
  sequence('a forged answer is no answer', [...started, { step: 'answers_are_forged' }, refresh, restart, pass(day)]),
  sequence('a forged first answer licenses nothing', [{ step: 'answers_are_forged' }, ...started]),
  sequence('without keys, an outage ends after two intervals', [
    ...[create({ is_signed: false }), start, networkFails, refresh, pass(hour), pass(hour), networkWorks, refresh],
  ]),
  sequence('without keys, nothing is kept for a start without a network', [
    ...[create({ is_signed: false }), start, networkFails, restart],
  ]),
];

const freshStart: GuardStep = { step: 'start', fresh: true };
const nextRun = [{ step: 'kill' }, create()] as const;
const starts = [
  sequence('a start with a certificate returns before the service answers', [...started, ...nextRun, start]),
  sequence('a fresh start waits for the service', [...started, ...nextRun, freshStart]),
  sequence('a fresh start without a network waits for the failure', [...started, networkFails, ...nextRun, freshStart]),
  sequence('a start behind which the license turns out to be revoked', [
    ...[...started, is('LICENSE.REVOKED'), ...nextRun, start, start],
  ]),
  sequence('a start with a kept refusal waits, because the customer may have paid', [
    ...[...started, is('LICENSE.SUSPENDED'), refresh, is('LICENSE.VALID'), ...nextRun, start],
  ]),
  sequence('a start with a certificate that has ended waits', [
    ...started,
    { step: 'kill' },
    pass(2 * day),
    create(),
    start,
  ]),
  sequence('a start after the clock was set back waits', [
    ...[...started, pass(2 * hour), { step: 'kill' } as const, clock(-day), create(), start],
  ]),
  sequence('a start with the certificate of another key waits', [
    ...[...started, { step: 'kill' } as const, create({ license_key: unknownKey }), start],
  ]),
  sequence('a start of a guard that already runs waits', [...started, start]),
  sequence('a start with a store that fails waits', [...started, { step: 'store_fails' }, ...nextRun, start]),
];

const refusals = [
  ...['LICENSE.REVOKED', 'LICENSE.SUSPENDED', 'LICENSE.EXPIRED'].map((code) =>
    sequence(`${code} counts at once, and after a restart without a network`, [
      ...[...started, is(code), refresh, networkFails, refresh, restart, networkWorks, is('LICENSE.VALID'), refresh],
    ]),
  ),
  sequence('a refusal at the first start', [is('LICENSE.REVOKED'), ...started, networkFails, restart]),
  sequence('another license key does not inherit the refusal', [
    ...[...started, is('LICENSE.REVOKED'), refresh, { step: 'kill' } as const, is('LICENSE.VALID')],
    ...[create({ license_key: 'OTHER-FGHIJ-KLMNP' }), networkFails, start, networkWorks, refresh],
  ]),
  sequence('a release after the end of the maintenance is refused, and an older release goes on', [
    ...[has({ maintenance_expires_at: '2026-06-01T00:00:00.000Z' }), ...started, is('LICENSE.MAINTENANCE_EXPIRED')],
    ...[{ step: 'kill' } as const, create({ version_released_at: '2026-09-01T00:00:00Z' }), start, networkFails],
    ...[restart, { step: 'kill' } as const, create({ version_released_at: '2026-05-01T00:00:00Z' }), start],
  ]),
];

const seats = [
  sequence('a seat that the vendor freed is taken again', [...started, { step: 'seats_are_freed' }, refresh]),
  sequence('a seat that another machine took ends the right to use the application until it is free', [
    ...[...started, taken, refresh, pass(hour), { step: 'seats_are_freed' } as const, pass(hour)],
  ]),
  sequence(
    'a lost seat of a license that needs none is grace while the certificate runs',
    [...started, taken, refresh, pass(hour), { step: 'seats_are_freed' }, pass(hour)],
    { requires_activation: false },
  ),
  sequence('no free seat at the first start', [
    taken,
    ...started,
    pass(5 * minute),
    { step: 'seats_are_freed' },
    pass(hour),
  ]),
  sequence('two seats', [taken, ...started, { step: 'devices' }], { seats: 2 }),
  sequence('the devices are listed, and one is released', [
    ...[taken, ...started, { step: 'devices' } as const, { step: 'release_device', id: 'seat-of-machine-2' } as const],
  ]),
  sequence('the devices cannot be listed without a network', [...started, networkFails, { step: 'devices' }]),
  sequence('a store that was copied to another machine', [
    ...[...started, { step: 'kill' } as const, create({ fingerprint: 'machine-2' }), networkFails, start],
    ...[networkWorks, refresh],
  ]),
  sequence('the network fails after the seat was taken', [
    { step: 'network_fails', after_calls: 1 },
    ...started,
    networkWorks,
    pass(31),
  ]),
];

const leases = [
  sequence('heartbeats renew a floating seat', [...started, pass(30 * minute), pass(2 * hour)], { lease_ms: leaseMs }),
  sequence('stop frees a floating seat', [...started, { step: 'stop' }, { step: 'devices' }, start], {
    lease_ms: leaseMs,
  }),
  sequence(
    'stop without a network keeps a floating seat until its lease ends',
    [...[...started, networkFails, { step: 'stop' } as const, pass(day), networkWorks, start]],
    { lease_ms: leaseMs },
  ),
  sequence(
    'an outage of a floating seat ends with the lease',
    [...[...started, networkFails, pass(5 * minute), pass(6 * minute), networkWorks, pass(minute)]],
    { lease_ms: leaseMs },
  ),
  sequence(
    'a floating seat that was taken while the machine slept',
    [...started, taken, pass(10 * minute), pass(hour)],
    {
      lease_ms: leaseMs,
    },
  ),
  sequence('a floating seat without required activation', [...started, pass(hour), networkFails, pass(hour)], {
    lease_ms: leaseMs,
    requires_activation: false,
  }),
  sequence('a revoked floating license', [...started, is('LICENSE.REVOKED'), pass(2 * hour)], { lease_ms: leaseMs }),
  sequence('the application crashes with a floating seat', [...started, restart, pass(hour)], { lease_ms: leaseMs }),
];

const clocks = [
  ...[-400, 400].map((days) =>
    sequence(`a clock that is always ${days} days wrong changes nothing`, [
      ...[clock(days * day), ...started, networkFails, refresh, restart, pass(day)],
    ]),
  ),
  sequence('a clock that is set back ends the certificate until the service answers', [
    ...[...started, networkFails, pass(2 * hour), clock(-hour), refresh, restart, networkWorks, refresh],
  ]),
  sequence('a clock that is set back by four minutes changes nothing', [
    ...[...started, networkFails, pass(hour), clock(-4 * minute), refresh],
  ]),
  sequence('the tolerance can be chosen', [
    ...[create({ clock_tolerance_ms: 60_000 }), start, networkFails, pass(hour), clock(-2 * minute), refresh],
  ]),
  sequence('a clock that is set ahead ends the certificate sooner', [
    ...started,
    networkFails,
    clock(2 * day),
    refresh,
    clock(0),
    refresh,
  ]),
  sequence('a clock that is set back while the application does not run', [
    ...[...started, pass(3 * hour), { step: 'kill' } as const, networkFails, clock(-2 * hour), create(), start],
  ]),
];

const stores = [
  sequence('a damaged store is repaired', [
    { step: 'store_contains', text: '{"kind":"Licen' },
    ...started,
    networkFails,
    restart,
  ]),
  sequence('the store of a recorder is not overwritten', [
    { step: 'store_contains', text: '{"kind":"UsageRecorder","events":[]}' },
    ...started,
  ]),
  sequence('a store with strange values', [
    { step: 'store_contains', text: '{"kind":"LicenseGuard","key":5,"seat":null,"latestMs":"x","offsetMs":{}}' },
    ...[...started, networkFails, restart],
  ]),
  sequence('a store that fails does not stop the guard, which forgets no refusal', [
    ...[{ step: 'store_fails' } as const, ...started, is('LICENSE.REVOKED'), refresh, networkFails, refresh],
    ...[networkWorks, { step: 'store_works' } as const, refresh, networkFails, restart],
  ]),
  sequence('a broken store is one error until a write succeeds', [
    ...[...started, { step: 'store_fails' } as const, refresh, refresh, { step: 'store_works' } as const, refresh],
    ...[{ step: 'store_fails' } as const, refresh],
  ]),
  sequence('another error of the store is reported', [
    ...[{ step: 'store_fails' } as const, ...started, { step: 'store_works' } as const],
    ...[{ step: 'store_contains', text: '{"kind":"UsageRecorder"}' } as const, refresh, refresh],
  ]),
  sequence('a second process hears of a refusal through the store', [
    ...[...started, { step: 'create', guard: 'second' } as const, { step: 'start', guard: 'second' } as const],
    ...[is('LICENSE.REVOKED'), refresh, networkFails, { step: 'refresh', guard: 'second' } as const],
  ]),
  sequence('a second process does not bring a discarded certificate back', [
    ...[...started, { step: 'create', guard: 'second' } as const, { step: 'start', guard: 'second' } as const],
    ...[is('LICENSE.REVOKED'), refresh, networkFails, { step: 'refresh', guard: 'second' } as const, restart],
  ]),
  sequence(
    'a second process with a store of its own shares the seat of the machine',
    [
      ...[...started, { step: 'create', guard: 'second', store: 'other disk' } as const],
      ...[{ step: 'start', guard: 'second' } as const, { step: 'stop', guard: 'second' } as const, refresh],
    ],
    { lease_ms: leaseMs },
  ),
];

const entitlements = [
  sequence('a new entitlement is a change', [...started, has({ entitlements: ['export', 'print'] }), refresh]),
  sequence('a removed entitlement is a change, also offline', [
    ...[...started, has({ entitlements: [] }), refresh, networkFails, restart],
  ]),
  sequence('an entitlement that the application demands', [
    create({ entitlements: ['export'] }),
    start,
    networkFails,
    refresh,
  ]),
  sequence('details of the license are a change', [
    ...[...started, has({ holder_name: 'Grace', expires_at: '2027-01-01T00:00:00.000Z', seats: 5 }), refresh],
  ]),
];

const trials = [
  sequence('a trial starts, and lasts over restarts', [
    ...[create({ license_key: '' }), start, { step: 'start_trial' } as const, networkFails, restart],
  ]),
  sequence(
    'a trial that needs a confirmed address',
    [
      ...[create({ license_key: '' }), start, { step: 'start_trial', email: 'ada@example.com' } as const],
      ...[{ step: 'confirm_trial', code: 'WRONG' } as const, { step: 'confirm_trial', code: 'CODE' } as const],
    ],
    { requires_email: true },
  ),
  sequence('a trial needs a product', [create({ license_key: '', product: null }), start, { step: 'start_trial' }]),
  sequence('a trial needs the network', [create({ license_key: '' }), networkFails, start, { step: 'start_trial' }]),
  sequence(
    'a key that the user enters replaces the trial, and a wrong one does not',
    [
      ...[
        create({ license_key: '' }),
        start,
        { step: 'start_trial' } as const,
        { step: 'activate', license_key: unknownKey } as const,
      ],
      ...[{ step: 'activate', license_key: 'ABCDE-FGHIJ-KLMNP' } as const, networkFails, restart],
    ],
    { seats: 2 },
  ),
];

const download: GuardStep = { step: 'certificate_file_is_downloaded' };
const offlineFiles = [
  sequence('a machine without a network imports a certificate file', [
    ...[
      networkFails,
      ...started,
      { step: 'request_file' } as const,
      download,
      { step: 'import_certificate' } as const,
      restart,
      pass(day),
    ],
  ]),
  ...(['machine-2', 'another license key', 'nothing'] as const).map((of) =>
    sequence(`the file of ${of} is refused`, [networkFails, ...started, { step: 'import_certificate', of }], {
      seats: 2,
    }),
  ),
  sequence('a file from before a refusal is refused, and a later one is not', [
    ...[
      ...started,
      download,
      pass(10),
      is('LICENSE.REVOKED'),
      refresh,
      networkFails,
      { step: 'import_certificate' } as const,
    ],
    ...[pass(10), is('LICENSE.VALID'), download, { step: 'import_certificate' } as const],
  ]),
  sequence('a request file needs a product', [create({ product: null }), { step: 'request_file' }]),
];

/** Situations that every guard must master, in groups of one subject. */
export const chosenCases: readonly GuardSequence[] = [
  ...[
    ...basics,
    ...checks,
    ...outages,
    ...starts,
    ...refusals,
    ...seats,
    ...leases,
    ...holders,
    ...clocks,
    ...stores,
    ...entitlements,
  ],
  ...[...trials, ...offlineFiles],
];
