import { Counter, Gauge, type Registry } from 'prom-client';
import { passwordWork } from '../lib/password.ts';

/** Registers the metrics of password hashing. They exist once per process, because all services share its threads. */
export function watchPasswordWork(registers: Registry[]): void {
  new Counter({
    name: 'password_hashes_total',
    help: 'Passwords that were hashed or verified.',
    registers,
    collect() {
      this.reset();
      this.inc(passwordWork.begun);
    },
  });
  new Gauge({
    name: 'password_hashes_waiting',
    help: 'Passwords that wait to be hashed or verified; more than a few mean that logins wait for CPU time.',
    registers,
    collect() {
      this.set(passwordWork.waiting);
    },
  });
}
