import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import type { PasswordAnswer, PasswordTask } from './password-workers.ts';

// Runs in a thread of its own, one task after the other.

function perform(task: PasswordTask): string | boolean {
  return task.kind === 'hash' ? hashSync(task.password, task.parameters) : verifySync(task.hash, task.password);
}

parentPort?.on('message', ({ id, task }: { readonly id: number; readonly task: PasswordTask }) => {
  let answer: PasswordAnswer;
  try {
    answer = { id, result: perform(task) };
  } catch (error) {
    answer = { id, failure: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(answer);
});
