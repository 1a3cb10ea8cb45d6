import { TOTP } from 'otpauth';

const stepMs = 30_000;

/** Returns the code that an authenticator app with a secret shows now, or a number of time steps later. */
export function oneTimeCode(secret: string, stepsLater = 0): string {
  return new TOTP({ secret }).generate({ timestamp: Date.now() + stepsLater * stepMs });
}
