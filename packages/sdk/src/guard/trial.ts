import type { PendingTrial, Trial } from '../api-types.ts';
import { configurationError, LicensingError } from '../error.ts';
import { seatless } from './consult.ts';
import type { Machine } from './machine.ts';
import type { GuardClient, LicenseGuardOptions } from './options.ts';

/** Who tries the product. The policy of the trial decides whether it needs the address. */
export interface TrialUser {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

/** Asks the service for the trial of this machine. Rejects with a `LicensingError`. */
export async function askForTrial(
  { client, product, deviceName }: LicenseGuardOptions,
  { email, name }: TrialUser,
  machine: Machine,
): Promise<Trial | PendingTrial> {
  const { fingerprint } = machine;
  if (product === undefined || fingerprint === undefined) {
    throw configurationError('Pass the options `product` and `fingerprint` to the guard to start a trial.');
  }
  const user = { ...(email !== undefined && { email }), ...(name !== undefined && { name }) };
  const device = deviceName === undefined ? {} : { device: { name: deviceName } };
  if (client.startTrial === undefined) throw withoutTrials('startTrial');
  return await client.startTrial({ product, ...machine, fingerprint, ...user, ...device });
}

/** Confirms the address of the trial of this machine. Rejects with a `LicensingError`. */
export async function confirmTrial(client: GuardClient, code: string): Promise<Trial> {
  if (client.confirmTrial === undefined) throw withoutTrials('confirmTrial');
  return await client.confirmTrial(code);
}

/** Rejects with the refusal of the service, unless this machine only lacks a seat. */
export async function assertUsable(
  { client, product }: LicenseGuardOptions,
  licenseKey: string,
  machine: Machine,
): Promise<void> {
  const question = { ...(product !== undefined && { product }), ...machine };
  const { valid, code, detail } = await client.validate(licenseKey, question);
  if (!valid && !seatless.includes(code)) throw new LicensingError({ code, message: detail });
}

function withoutTrials(method: string): LicensingError {
  return configurationError(`\`client\` has no ${method}. Pass a LicensingClient.`);
}
