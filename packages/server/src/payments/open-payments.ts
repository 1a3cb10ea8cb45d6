import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { PlatformDb } from '../db/database.ts';
import type { JobWakeUps } from '../jobs/wake-ups.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import { type PaymentProvider, PaymentProviderError } from './provider.ts';
import type { OnClockAdvanced, SendEvent } from './sandbox/context.ts';
import { createSandbox, type Sandbox } from './sandbox/sandbox.ts';

interface PaymentDependencies {
  readonly platform: PlatformDb;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly logger: Pick<Logger, 'warn'>;
  readonly wakeUps: Pick<JobWakeUps, 'wakeRunner'>;
  readonly sendEvent: SendEvent | undefined;
  readonly onClockAdvanced: OnClockAdvanced;
}

/** The payment provider of `PAYMENT_PROVIDER`; both are null for `none`. */
export interface Payments {
  readonly payments: PaymentProvider | null;
  readonly sandbox: Sandbox | null;
}

const rejectEvent: SendEvent = () =>
  Promise.reject(
    new PaymentProviderError(
      'unavailable',
      'Events can only be delivered while the service runs; a command has no webhook. Start the service.',
    ),
  );

/** Creates the payment provider that the configuration names. */
export async function openPayments(config: Config, dependencies: PaymentDependencies): Promise<Payments> {
  const { platform, clock, keyring, wakeUps, sendEvent = rejectEvent, onClockAdvanced } = dependencies;
  switch (config.paymentProvider) {
    case 'none':
      return { payments: null, sandbox: null };
    case 'sandbox': {
      const { publicUrl, taxes: taxRules } = config;
      const kick = () => wakeUps.wakeRunner();
      const sandbox = createSandbox({
        platform,
        clock,
        keyring,
        publicUrl,
        taxRules,
        sendEvent,
        kick,
        onClockAdvanced,
      });
      return { payments: sandbox.provider, sandbox };
    }
    case 'stripe': {
      const { stripe } = config;
      if (stripe === null) throw new Error('PAYMENT_PROVIDER is stripe, but the Stripe settings are missing.');
      // Imported on demand: loading the library would add 100 ms to the start of every command.
      const { createStripe } = await import('./stripe/stripe.ts');
      return { payments: createStripe(stripe, clock), sandbox: null };
    }
  }
}
