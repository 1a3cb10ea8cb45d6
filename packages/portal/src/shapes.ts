export interface Portal {
  readonly display_name: string;
  readonly logo_url: string | null;
  readonly accent_color: string | null;
  readonly support_email: string | null;
  readonly support_url: string | null;
}
export interface PortalEntitlement {
  readonly code: string;
  readonly name: string;
  readonly type: 'boolean' | 'value' | 'metered';
  readonly value: string | number | boolean | null;
  readonly limit: number | null;
  readonly reset: string | null;
  readonly expires_at: string | null;
}
export interface PortalLicense {
  readonly id: string;
  readonly product: { readonly code: string; readonly name: string };
  readonly policy_name: string;
  readonly holder_name: string | null;
  readonly order_number: string | null;
  readonly key_hint: string;
  readonly status: 'pending' | 'active' | 'suspended' | 'revoked' | 'expired';
  readonly works: boolean;
  readonly starts_at: string;
  readonly expires_at: string | null;
  readonly grace_ends_at: string | null;
  readonly maintenance_expires_at: string | null;
  readonly seats: { readonly used: number; readonly maximum: number | null };
  readonly deactivations_left: number | null;
  readonly terms: {
    readonly duration_days: number | null;
    readonly runs_after_expiry: boolean;
    readonly requires_activation: boolean;
    readonly lease_seconds: number | null;
    readonly offline_seconds: number;
    readonly entitlements: readonly PortalEntitlement[];
  };
  readonly renewal_url: string | null;
  readonly permissions: {
    readonly release_devices: boolean;
    readonly replace_key: boolean;
    readonly offline_activation: boolean;
  };
}
export interface PortalDevice {
  readonly id: string;
  readonly name: string | null;
  readonly platform: string | null;
  readonly last_seen_at: string;
  readonly lease_expires_at: string | null;
  readonly created_at: string;
}
export interface OfflineActivation {
  readonly file_name: string;
  readonly file: string;
  readonly expires_at: string;
}
