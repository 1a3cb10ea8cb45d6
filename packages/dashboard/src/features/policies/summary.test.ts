import { expect, test } from 'vitest';
import { type PolicyTerms, policySummary } from './summary.ts';
import { emptyLine, emptyPolicy } from './values.ts';

const cases: readonly (readonly [string, Partial<PolicyTerms>])[] = [
  ['Valid forever, on any number of devices.', {}],
  [
    'Valid forever, on up to 1 device. Devices are not limited until the application activates them.',
    { max_activations: 1 },
  ],
  [
    'Valid forever, on no device. Devices are not limited until the application activates them.',
    { max_activations: 0 },
  ],
  [
    'Valid for 1 year from first activation, on up to 3 devices, then 14 days of grace. Devices are not limited until the application activates them.',
    { duration_days: 365, expiry_basis: 'first_activation', max_activations: 3, grace_days: 14 },
  ],
  [
    'Valid for 14 days from first validation, on up to 1 device. Devices are not limited until the application activates them.',
    { duration_days: 14, expiry_basis: 'first_validation', max_activations: 1 },
  ],
  ['Valid for 2 years, on any number of devices.', { duration_days: 730 }],
  [
    'Valid for 1 month, until the end of that month, on any number of devices.',
    { duration_months: 1, ends_with_month: true },
  ],
  ['Valid for 3 months, on any number of devices.', { duration_days: 90 }],
  ['Valid for 30 days, on any number of devices.', { duration_days: 30 }],
  ['Valid for 1 day, on any number of devices.', { duration_days: 1 }],
  [
    'Valid for 30 days, on any number of devices, and usable after it expires.',
    { duration_days: 30, expiry_strategy: 'allow' },
  ],
  [
    'Valid for 30 days, on any number of devices, then 1 day of grace, and usable after it expires.',
    { duration_days: 30, expiry_strategy: 'allow', grace_days: 1 },
  ],
  // A license without an end has neither grace nor a start of its term.
  [
    'Valid forever, on any number of devices.',
    { grace_days: 14, expiry_basis: 'first_activation', expiry_strategy: 'allow' },
  ],
  [
    'Valid forever, on up to 2 devices, and 1 more is tolerated. Devices are not limited until the application activates them.',
    { max_activations: 2, activation_overage_percent: 50 },
  ],
  [
    'Valid forever, on up to 1 device. Devices are not limited until the application activates them.',
    { max_activations: 1, activation_overage_percent: 50 },
  ],
  [
    'Valid forever, on up to 2 devices, and any number more is tolerated. Devices are not limited until the application activates them.',
    { max_activations: 2, activation_overage_percent: '' },
  ],
  [
    'Valid for 1 year, on up to 10 devices, each released after 1 hour without a heartbeat. Devices are not limited until the application activates them.',
    { duration_days: 365, max_activations: 10, lease_seconds: 3600 },
  ],
  [
    'Valid forever, on any number of devices, each released after 90 seconds without a heartbeat.',
    { lease_seconds: 90 },
  ],
  [
    'Valid forever, on up to 3 devices. Each device must be activated.',
    { max_activations: 3, require_activation: true },
  ],
  ['Valid forever, on any number of devices. Updates are included for 1 year.', { maintenance_days: 365 }],
  [
    'Valid forever, on any number of devices. Includes 600 renders per month and 10 exports in total.',
    {
      entitlements: [
        { ...emptyLine('renders'), limit: 600 },
        { ...emptyLine('pdf') },
        { ...emptyLine('exports'), limit: 10, reset: 'none' },
      ],
    },
  ],
  [
    'Valid for 1 year, on up to 1,000 devices. Each device must be activated. Updates are included for 2 years.',
    { duration_days: 365, max_activations: 1000, require_activation: true, maintenance_days: 730 },
  ],
];

test.for(cases)('a policy is summarised as: %s', ([sentence, terms]) => {
  expect(policySummary({ ...emptyPolicy, ...terms })).toBe(sentence);
});
