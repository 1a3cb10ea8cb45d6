/** Bare Argon2id: checks a password continuously, with the same parallelism as the service, and nothing else. */
import { createServer } from 'node:http';
import { verify } from '@node-rs/argon2';
import { hashingPlaces, hashPassword } from '../../packages/server/src/lib/password.ts';
import { readSetup } from '../processes.ts';

const { password, roundMs } = await readSetup<{ password: string; roundMs: number }>();
const passwordHash = await hashPassword(password);

/** Returns the number of checks in a round. */
const server = createServer(async (_request, response) => {
  const endsAt = performance.now() + roundMs;
  let checks = 0;
  const check = async () => {
    while (performance.now() < endsAt) {
      await verify(passwordHash, password);
      checks += 1;
    }
  };
  await Promise.all(Array.from({ length: hashingPlaces }, check));
  response.end(JSON.stringify({ checks }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.error(`Serving on http://127.0.0.1:${address?.port}`);
});
