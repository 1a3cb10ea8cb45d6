import { LicensingError } from '../../src/index.ts';
import { toCamelCase } from '../../src/naming.ts';
import type { DriverAnswer } from '../runner/driver.ts';
import type { JsonObject } from '../runner/json.ts';
import { SimulatedGuards } from './simulated-guards.ts';
import type { ServiceSettings } from './steps.ts';
import { GuardWorld } from './world.ts';

/** Creates a world whose guards are those of this package, and call the service without a network. */
export function worldInProcess(settings: ServiceSettings = {}): GuardWorld {
  const guards = new SimulatedGuards();
  const world: GuardWorld = new GuardWorld(async (operation, given): Promise<DriverAnswer> => {
    try {
      return { result: await guards.perform(operation, camelCased(given), world.service) };
    } catch (error) {
      if (!(error instanceof LicensingError)) throw error;
      return { error: { code: error.code } };
    }
  }, settings);
  return world;
}

/** Returns an object of a case with the names of this package. */
function camelCased(value: unknown): JsonObject {
  const rename = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(rename);
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([name, field]) => [toCamelCase(name), rename(field)]));
  };
  return rename(value) as JsonObject;
}
