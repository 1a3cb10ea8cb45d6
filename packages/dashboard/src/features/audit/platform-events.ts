/** Texts for events of the platform with codes that are not plain words. */
export const platformPhrases: Readonly<Record<string, string>> = {
  'ACCOUNT.DELETED': 'erased the account of',
  'ACCOUNT.EMAIL_CHANGE_CANCELLED': 'cancelled a change of the email address',
  'ACCOUNT.EMAIL_CHANGE_REQUESTED': 'requested a change of the email address',
  'ACCOUNT.EMAIL_CHANGE_REVERTED': 'undid a change of the email address',
  'ACCOUNT.EMAIL_CHANGED': 'changed the email address',
  'ACCOUNT.OTHER_SESSIONS_REVOKED': 'ended the other sessions',
  'ACCOUNT.PASSWORD_CHANGED': 'changed the password',
  'ACCOUNT.SESSION_REVOKED': 'ended a session',
  'ACCOUNT.UPDATED': 'changed the profile',
  'ADMIN.JOINED': 'accepted the invitation of an admin',
  'ADMIN.LOCKED_OUT': 'was locked out after wrong passwords',
  'ADMIN.LOGIN': 'logged in',
  'ADMIN.LOGIN_FAILED': 'failed to log in',
  'ADMIN.LOGOUT': 'logged out',
  'ADMIN.UPDATED': 'changed an admin',
  'AUDIT_LOG.EXPORTED': 'exported the audit log',
  'FEATURE_FLAG.UPDATED': 'changed a feature flag',
  'PLAN.UPDATED': 'changed a plan',
  'USER.EMAIL_VERIFIED': 'verified the email address',
  'USER.LOCKED_OUT': 'was locked out after wrong passwords',
  'USER.LOGIN': 'logged in',
  'USER.LOGIN_FAILED': 'failed to log in',
  'USER.LOGOUT': 'logged out',
  'USER.PASSWORD_RESET': 'chose a new password',
  'USER.PASSWORD_RESET_REQUESTED': 'requested a password reset',
  'USER.PASSWORD_RESET_SENT': 'sent a password reset to',
  'USER.REGISTERED': 'registered',
  'USER.REGISTRATION_REPEATED': 'tried to register again',
  'USER.VERIFICATION_RESENT': 'requested another verification mail',
};

const verbs: Readonly<Record<string, readonly string[]>> = {
  ACCOUNT: ['EMAIL_CHANGE_REQUESTED', 'EMAIL_CHANGED', 'EMAIL_CHANGE_REVERTED', 'PASSWORD_CHANGED', 'DELETED'],
  AUDIT_LOG: ['EXPORTED'],
  TENANT: ['CREATED', 'UPDATED', 'SUSPENDED', 'REINSTATED', 'CLOSED', 'MOVED', 'IMPORTED', 'PURGED'],
  USER: [
    'LOGIN',
    'LOGOUT',
    'LOGIN_FAILED',
    'LOCKED_OUT',
    'REGISTERED',
    'DISABLED',
    'ENABLED',
    'PASSWORD_RESET',
    'PASSWORD_RESET_REQUESTED',
    'PASSWORD_RESET_SENT',
  ],
  ADMIN: ['LOGIN', 'LOGOUT', 'LOGIN_FAILED', 'LOCKED_OUT', 'INVITED', 'JOINED', 'CREATED', 'UPDATED'],
  FEATURE_FLAG: ['CREATED', 'UPDATED', 'DELETED'],
  JOB: ['RETRIED'],
  MAIL: ['RETRIED'],
  PLAN: ['CREATED', 'UPDATED', 'ARCHIVED', 'DELETED'],
  CATALOG_PRODUCT: ['CREATED', 'UPDATED', 'DELETED'],
  COUPON: ['CREATED', 'REFUSED', 'ARCHIVED'],
  SUBSCRIPTION: [
    'CREATED',
    'UPDATED',
    'PLAN_CHANGED',
    'CANCELLATION_REQUESTED',
    'CANCELED',
    'RESUMED',
    'TRIAL_EXTENDED',
    'COUPON_APPLIED',
  ],
  INVOICE: [
    'CREATED',
    'DELETED',
    'FINALIZED',
    'SENT',
    'REMINDED',
    'PAID',
    'REFUND_REQUESTED',
    'REFUNDED',
    'REFUND_FAILED',
    'VOIDED',
    'MARKED_UNCOLLECTIBLE',
  ],
  BILLING: ['CREDIT_GIVEN', 'DETAILS_UPDATED'],
};

/** The codes in the platform's log, for the filter. A code that ends with a dot is a prefix. */
export const platformEvents: readonly string[] = Object.entries(verbs).flatMap(([resource, names]) =>
  names.map((verb) => `${resource}.${verb}`),
);

/** The types of resources that the platform's log contains, for the filter. */
export const platformResourceTypes: readonly string[] = Object.keys(verbs)
  // Events of accounts are about users and admins.
  .filter((name) => name !== 'ACCOUNT')
  .map((name) => name.toLowerCase());
