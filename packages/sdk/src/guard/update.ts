import type { FindRelease, LatestRelease } from '../api-types.ts';
import { configurationError, wrapped } from '../error.ts';
import type { LicenseGuardOptions } from './options.ts';

/** Which update an application looks for. */
export interface UpdateQuestion {
  /** The version that runs. */
  readonly currentVersion: string;
  /** Default: `stable`. */
  readonly channel?: string | undefined;
  /** Default: this system; `any` in a browser. */
  readonly platform?: FindRelease['platform'] | undefined;
  readonly arch?: FindRelease['arch'] | undefined;
}

/** The update that a license permits. `release` is null if there is none. */
export interface UpdateCheck extends LatestRelease {
  /** Why the newest release is not offered, or why the service gave no answer; null: the license permits the newest one. */
  readonly code: string | null;
  readonly detail: string | null;
}

/** Asks for the newest release that a license permits. Never rejects. */
export async function findUpdate(
  { client, product }: LicenseGuardOptions,
  licenseKey: string,
  question: UpdateQuestion,
): Promise<UpdateCheck> {
  try {
    if (product === undefined || client.latestRelease === undefined) {
      throw configurationError('Pass `product` and a LicensingClient to the guard.');
    }
    const key = licenseKey === '' ? {} : { licenseKey };
    const answer = await client.latestRelease({ ...question, ...systemOf(question), product, ...key });
    const { code = null, detail = null } = answer.newest ?? {};
    return { ...answer, code, detail };
  } catch (error) {
    const { code, message: detail } = wrapped('GUARD.FAILED', error, 'Correct the client.');
    return { release: null, newest: null, newestPermitted: null, code, detail };
  }
}

function systemOf({ platform, arch }: UpdateQuestion): Pick<FindRelease, 'platform' | 'arch'> {
  // A browser has no `process`, and this entry is for browsers too.
  const { process } = globalThis as { readonly process?: { readonly platform?: string; readonly arch?: string } };
  const platforms = { win32: 'windows', darwin: 'macos', linux: 'linux' } as const;
  const archs = { x64: 'x64', arm64: 'arm64', ia32: 'x86', arm: 'arm' } as const;
  return {
    platform: platform ?? platforms[process?.platform as keyof typeof platforms] ?? 'any',
    arch: arch ?? archs[process?.arch as keyof typeof archs] ?? 'any',
  };
}
