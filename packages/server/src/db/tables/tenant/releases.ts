import type { Timestamp } from '../../../lib/clock.ts';

/** A version of a product. */
export interface ReleasesTable {
  id: string;
  product_id: string;
  version: string;
  /** A text that sorts as the precedence of the version; unique within the product. */
  version_sort: string;
  channel: string;
  status: 'draft' | 'published' | 'yanked';
  /** Markdown. */
  notes: string;
  /** Null for a draft. */
  released_at: Timestamp | null;
  /** The codes of the entitlements that a license needs. */
  minimum_entitlements_json: string;
  yanked_reason: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A file of a release. */
export interface ReleaseArtifactsTable {
  id: string;
  release_id: string;
  position: number;
  platform: 'windows' | 'macos' | 'linux' | 'any';
  arch: 'x64' | 'arm64' | 'x86' | 'arm' | 'universal' | 'any';
  file_name: string;
  url: string;
  /** In bytes. */
  size: number;
  /** Hexadecimal, in lower case. */
  sha256: string;
  signature: string | null;
}

/** How often the files of a release were requested on a day. */
export interface ReleaseDownloadsTable {
  release_id: string;
  /** A day in UTC, such as 2026-11-30. */
  day: string;
  count: number;
}

/** The tables of releases. */
export interface ReleaseTables {
  releases: ReleasesTable;
  release_artifacts: ReleaseArtifactsTable;
  release_downloads: ReleaseDownloadsTable;
}
