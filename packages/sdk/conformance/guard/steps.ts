/** What the service of a case has, until a step changes it. */
export interface ServiceSettings {
  readonly seats?: number;
  /** The length of the lease of a floating seat; null for seats that stay. */
  readonly lease_ms?: number | null;
  readonly requires_activation?: boolean;
  readonly requires_email?: boolean;
  /** For how long certificates run. */
  readonly certificate_seconds?: number;
  readonly entitlements?: readonly string[];
  readonly holder_name?: string | null;
  readonly expires_at?: string | null;
  readonly maintenance_expires_at?: string | null;
}

/** The options of a guard in a case. Absent ones are the case's defaults: one license key, machine and product. */
export interface GuardOptions {
  readonly license_key?: string;
  /** Null: the application passes none. */
  readonly fingerprint?: string | null;
  readonly product?: string | null;
  readonly entitlements?: readonly string[];
  readonly version_released_at?: string;
  readonly check_interval_ms?: number;
  readonly retry_interval_ms?: number;
  readonly clock_tolerance_ms?: number;
  /** False: the guard has no keys, and works online only. The application says so with `unsigned: true`. */
  readonly is_signed?: boolean;
  /** What the application says instead. */
  readonly unsigned?: boolean;
}

/** One thing that happens. The guard of a step is `first` unless it names another. */
export type GuardStep = { readonly guard?: string } & (
  | { readonly step: 'start'; readonly fresh?: boolean }
  | { readonly step: 'stop' | 'restart' | 'kill' | 'devices' | 'request_file' }
  | { readonly step: 'create'; readonly options?: GuardOptions; readonly store?: string }
  | { readonly step: 'refresh'; readonly calls?: number }
  | { readonly step: 'time_passes'; readonly seconds: number }
  | { readonly step: 'clock_is_set'; readonly ahead_seconds: number }
  | { readonly step: 'network_fails'; readonly after_calls?: number }
  | { readonly step: 'network_works' | 'service_works' | 'answers_are_forged' | 'answers_are_genuine' }
  | { readonly step: 'service_fails'; readonly status: number; readonly code: string }
  | { readonly step: 'license_is'; readonly code: string }
  | { readonly step: 'service_has'; readonly settings: ServiceSettings }
  | { readonly step: 'seats_are_freed' | 'another_machine_takes_the_seat' }
  | { readonly step: 'store_fails' | 'store_works' }
  | { readonly step: 'store_contains'; readonly text: string }
  | { readonly step: 'import_certificate'; readonly of?: 'machine-2' | 'another license key' | 'nothing' }
  | { readonly step: 'certificate_file_is_downloaded' }
  | { readonly step: 'release_device'; readonly id: string }
  | { readonly step: 'activate'; readonly license_key: string }
  | { readonly step: 'start_trial'; readonly email?: string }
  | { readonly step: 'confirm_trial'; readonly code: string }
  | { readonly step: 'check_for_update'; readonly current_version: string; readonly channel?: string }
);
