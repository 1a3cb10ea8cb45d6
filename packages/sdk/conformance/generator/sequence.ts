import type { GuardOptions, GuardStep, ServiceSettings } from '../guard/steps.ts';
import type { GuardCase } from '../runner/guard-cases.ts';

/** A case before its expected states are known. */
export interface GuardSequence extends Pick<GuardCase, 'title' | 'service'> {
  readonly steps: readonly GuardStep[];
}

export const minute = 60;
export const hour = 60 * minute;
export const day = 24 * hour;
export const leaseMs = 600_000;

export const create = (options?: GuardOptions): GuardStep => ({ step: 'create', ...(options && { options }) });
export const start: GuardStep = { step: 'start' };
export const refresh: GuardStep = { step: 'refresh' };
export const restart: GuardStep = { step: 'restart' };
export const networkFails: GuardStep = { step: 'network_fails' };
export const networkWorks: GuardStep = { step: 'network_works' };
export const pass = (seconds: number): GuardStep => ({ step: 'time_passes', seconds });
export const is = (code: string): GuardStep => ({ step: 'license_is', code });
export const has = (settings: ServiceSettings): GuardStep => ({ step: 'service_has', settings });
export const clock = (seconds: number): GuardStep => ({ step: 'clock_is_set', ahead_seconds: seconds });
export const fails = (status: number, code: string): GuardStep => ({ step: 'service_fails', status, code });
export const taken: GuardStep = { step: 'another_machine_takes_the_seat' };
export const started = [create(), start] as const;

/** Returns a case with its title. */
export function sequence(title: string, steps: readonly GuardStep[], service?: ServiceSettings): GuardSequence {
  return { title, steps, ...(service && { service }) };
}
