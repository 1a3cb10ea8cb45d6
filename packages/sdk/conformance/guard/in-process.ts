import { LicensingError } from '../../src/index.ts';
import { fromWire } from '../../src/naming.ts';
import type { DriverAnswer } from '../runner/driver.ts';
import { SimulatedGuards } from './simulated-guards.ts';
import type { ServiceSettings } from './steps.ts';
import { GuardWorld } from './world.ts';

/** Creates a world whose guards are those of this package, and call the service without a network. */
export function worldInProcess(settings: ServiceSettings = {}): GuardWorld {
  const guards = new SimulatedGuards();
  const world: GuardWorld = new GuardWorld(async (operation, given): Promise<DriverAnswer> => {
    try {
      return { result: await guards.perform(operation, fromWire(given), world.service) };
    } catch (error) {
      if (!(error instanceof LicensingError)) throw error;
      return { error: { code: error.code } };
    }
  }, settings);
  return world;
}
