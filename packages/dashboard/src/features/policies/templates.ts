import type { IconComponent } from '../../icons/icon.ts';
import { CalendarSync, Gauge, Hourglass, Infinity as InfinityIcon, Waves } from '../../icons/icons.gen.ts';
import type { PolicyValues } from './values.ts';

/** A usual licensing model. */
export interface PolicyTemplate {
  readonly id: 'perpetual' | 'subscription' | 'floating' | 'trial' | 'metered';
  readonly name: string;
  readonly description: string;
  readonly icon: IconComponent;
  /** The fields that the model sets; all others get the values of a new policy. */
  readonly values: Partial<PolicyValues>;
}

/** The usual licensing models, from which a person starts. */
export const policyTemplates: readonly PolicyTemplate[] = [
  {
    id: 'perpetual',
    name: 'Perpetual',
    description: 'Bought once, with one year of updates.',
    icon: InfinityIcon,
    values: { maintenance_days: 365, max_activations: 3, require_activation: true },
  },
  {
    id: 'subscription',
    name: 'Subscription',
    description: 'One year at a time, with a grace period.',
    icon: CalendarSync,
    values: {
      duration_months: 12,
      expiry_basis: 'first_activation',
      grace_days: 14,
      max_activations: 3,
      require_activation: true,
    },
  },
  {
    id: 'floating',
    name: 'Floating',
    description: 'Devices that a team shares.',
    icon: Waves,
    values: { duration_months: 12, grace_days: 7, max_activations: 10, require_activation: true, lease_seconds: 3600 },
  },
  {
    id: 'trial',
    name: 'Trial',
    description: 'Two weeks on one device.',
    icon: Hourglass,
    values: { duration_days: 14, expiry_basis: 'first_validation', max_activations: 1, require_activation: true },
  },
  {
    id: 'metered',
    name: 'Metered',
    description: 'A quantity per month.',
    icon: Gauge,
    values: {},
  },
];
