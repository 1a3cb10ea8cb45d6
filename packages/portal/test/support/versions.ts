import { fileInput, newRelease } from '../../../server/test/releases/release-data.ts';
import type { Holder, Vendor } from './portal.ts';

/** The fields of a version besides its number. */
interface VersionFields {
  readonly channel?: string;
  readonly notes?: string;
  readonly minimum_entitlements?: readonly string[];
}

const targets = [
  ['macos', 'arm64', 'dmg'],
  ['windows', 'x64', 'exe'],
  ['linux', 'x64', 'AppImage'],
] as const;

/** Publishes a version of the product of a license, with a file for each system. */
export async function publishVersion(
  { tenant }: Vendor,
  { licenseId }: Pick<Holder, 'licenseId'>,
  version: string,
  fields: VersionFields = {},
): Promise<void> {
  const { product_id } = (await tenant.asOwner('GET', `/licenses/${licenseId}`)).body.data;
  const artifacts = targets.map(([platform, arch, ending]) => {
    const file_name = `Editor-${version}.${ending}`;
    return fileInput({ platform, arch, file_name, url: `https://downloads.example/${version}/${file_name}` });
  });
  await newRelease(tenant, product_id, version, { artifacts, ...fields });
}
