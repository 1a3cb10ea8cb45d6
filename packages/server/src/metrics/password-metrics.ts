import { Counter, Gauge, type Registry } from 'prom-client';
import { passwordWork } from '../lib/password.ts';

/** Tells of the hashing of passwords, which is the work of the process and not of one service in it. */
export function watchPasswordWork(registers: Registry[]): void {
  new Counter({
    name: 'password_hashes_total',
    help: 'Passwords that were hashed or checked.',
    registers,
    collect() {
      this.reset();
      this.inc(passwordWork.begun);
    },
  });
  new Gauge({
    name: 'password_hashes_waiting',
    help: 'Passwords that wait to be hashed or checked: more than a few say that logins wait for a processor.',
    registers,
    collect() {
      this.set(passwordWork.waiting);
    },
  });
}
