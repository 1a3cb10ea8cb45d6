import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import { lowerThreadPriority } from './background-priority.ts';
import type { PasswordReply, PasswordTask } from './password-workers.ts';

// The code of a worker thread, which runs one task at a time.

lowerThreadPriority();

function perform(task: PasswordTask): string | boolean {
  return task.kind === 'hash' ? hashSync(task.password, task.parameters) : verifySync(task.hash, task.password);
}

parentPort?.on('message', ({ id, task }: { readonly id: number; readonly task: PasswordTask }) => {
  let reply: PasswordReply;
  try {
    reply = { id, result: perform(task) };
  } catch (error) {
    reply = { id, failure: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
});
