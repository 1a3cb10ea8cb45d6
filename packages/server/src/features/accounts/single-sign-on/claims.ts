import type { AdminRole } from '../../../db/tables/platform/identity.ts';
import { Email } from '../../../http/schema.ts';
import { compileCheck } from '../../../http/validation.ts';
import { normalizeEmail } from '../../../lib/email.ts';

/** What a provider says about a person. Every value is untrusted except `iss` and `sub`, which its signature covers. */
export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

const adminRoles: readonly AdminRole[] = ['admin', 'billing_readonly', 'billing_admin', 'super_admin'];
/** As long as the names that people enter. */
const nameMaxLength = 100;

const isEmail = (value: unknown): value is string => typeof value === 'string' && emailCheck().Check(value);
let compiledEmail: ReturnType<typeof compileCheck> | undefined;
function emailCheck() {
  compiledEmail ??= compileCheck(Email);
  return compiledEmail;
}

/**
 * Returns the normalised address of a person if the provider says that it has verified it: only `email_verified: true`,
 * as a boolean. Returns undefined for an address that is missing, malformed or not verified.
 */
export function verifiedEmail(claims: Claims): string | undefined {
  const { email, email_verified } = claims;
  if (email_verified !== true || !isEmail(email)) return undefined;
  return normalizeEmail(email);
}

/** Returns the name for a new account: the person's name, else the part of the address before the `@`. */
export function displayName(claims: Claims, email: string): string {
  const texts = [claims['name'], claims['preferred_username'], email.split('@')[0], email];
  const names = texts.filter((text) => typeof text === 'string').map(asName);
  return names.find((name) => name !== '') ?? email.slice(0, nameMaxLength);
}

function asName(text: string): string {
  return [...text.replace(/\p{Cc}/gu, ' ').trim()].slice(0, nameMaxLength).join('').trim();
}

/**
 * Returns the role of an admin that a claim names, either as its value or as the only role of this service in a list.
 * Returns undefined for a claim that is missing, names no role, or names several.
 */
export function adminRoleOf(claims: Claims, claim: string): AdminRole | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const named = Array.isArray(value) ? value : [value];
  const roles = adminRoles.filter((role) => named.includes(role));
  return roles.length === 1 ? roles[0] : undefined;
}
