import { type ErrorCode, errorStatus } from './error-codes.ts';
import { type Explanation, explain } from './error-explanation.ts';
import { holderExplanations } from './holder-explanations.ts';
import { salesExplanations } from './sales-explanations.ts';

const explanations: Readonly<Record<ErrorCode, Explanation>> = {
  ...holderExplanations,
  ...salesExplanations,
  'REQUEST.MALFORMED': explain(
    'The request is not valid HTTP or JSON, or a header is malformed.',
    'Correct the request; the message names the part.',
  ),
  'FEATURE_FLAG.CONTEXT_INVALID': explain(
    'The context of a feature flag evaluation is not valid.',
    'Send `context` as an object of at most 16 KiB and 500 fields.',
  ),
  'TENANT.SELECTION_REQUIRED': explain(
    'The user belongs to several tenants, and the request selects none.',
    'Send the id of the tenant in `X-Tenant-ID`.',
  ),
  'PAYMENT.EVENT_REJECTED': explain(
    'An event of the payment provider is unsigned, too old or malformed, or its signature is wrong.',
    'Check the signing secret and the clocks of both sides.',
  ),
  'AUTH.INVALID_API_KEY': explain(
    'The API key is missing, unknown, revoked or expired.',
    'Send an active API key in `X-API-Key`.',
  ),
  'AUTH.INVALID_TOKEN': explain(
    'The bearer token is missing, unknown, revoked or expired.',
    'Log in again and send the new token as `Authorization: Bearer …`.',
  ),
  'AUTH.INVALID_CREDENTIALS': explain(
    'The email address or the password is wrong.',
    'Check both, or request a link to choose a new password.',
  ),
  'AUTH.TWO_FACTOR_REQUIRED': explain(
    'The account has two-factor authentication, and the login has no code.',
    'Repeat the login with the `code` of the authenticator app, or with a recovery code.',
  ),
  'AUTH.TWO_FACTOR_INVALID': explain(
    'The two-factor code is wrong or was used already.',
    'Wait for the next code of the app, or use a recovery code.',
  ),
  'AUTH.SSO_DENIED': explain(
    'The provider of single sign-on refused the login, or it was canceled there.',
    'Start the login again, or ask who runs the provider.',
  ),
  'AUTH.SSO_TOKEN_INVALID': explain(
    "The provider's answer could not be verified; the log says why.",
    'Start the login again; if it fails again, send the request id to the operator.',
  ),
  'BILLING.PAYMENT_FAILED': explain(
    'The payment of a plan change was declined; nothing has changed.',
    'Use another payment method, then repeat the change.',
  ),
  'TENANT.STATUS.SUSPENDED': explain(
    'The tenant is suspended.',
    'Ask an owner to pay the open invoice, or ask the operator of the service.',
  ),
  'TENANT.STATUS.CLOSED': explain('The tenant is closed.', 'Contact the operator of the service.'),
  'TENANT.ACCESS_DENIED': explain(
    'The caller is not a member of the selected tenant.',
    'Correct `X-Tenant-ID`, or ask an owner of the tenant for access.',
  ),
  'AUTH.ABILITY_REQUIRED': explain(
    'The token is for another kind of account: a user called an admin route, or an admin a tenant route.',
    'Log in with an account of the required kind.',
  ),
  'AUTH.SCOPE_REQUIRED': explain(
    'The API key lacks the scope of the route.',
    'Create a key with the scope that the message names.',
  ),
  'AUTH.IP_NOT_ALLOWED': explain(
    'The API key may not be used from this address.',
    'Call from an address in `allowed_cidrs` of the key, or create a key that allows this address.',
  ),
  'AUTH.ROLE_REQUIRED': explain(
    "The caller's role does not permit the request.",
    'Ask the person that the message names for the role, or to send the request.',
  ),
  'AUTH.EMAIL_UNVERIFIED': explain(
    "The user's email address is not verified.",
    'Open the link in the mail, or request a new link.',
  ),
  'AUTH.TWO_FACTOR_SETUP_REQUIRED': explain(
    'The service requires two-factor authentication, and the account has none.',
    'Set up an authenticator app and confirm it with a code.',
  ),
  'AUTH.SSO_EMAIL_UNVERIFIED': explain(
    'The provider of single sign-on sent no verified email address.',
    'Verify the address at the provider.',
  ),
  'AUTH.SSO_NO_ACCOUNT': explain(
    'No account has the address, and single sign-on creates none.',
    'Register first, or ask for an invitation.',
  ),
  'AUTH.SIGN_UP_CLOSED': explain(
    'The service creates no account in this way: the operator has closed sign-up with `SIGN_UP`.',
    'Ask the owner of a tenant for an invitation. If invitations are refused too, ask the operator.',
  ),
  'AUTH.SSO_ROLE_MISSING': explain(
    'The provider gave the person no admin role, or several.',
    'Ask who runs the provider to set the claim of `OIDC_ADMIN_CLAIM` to one role.',
  ),
  'AUTH.SSO_ACCOUNT_DISABLED': explain('The account is disabled.', 'Ask the operator to enable the account.'),
  'BILLING.ROLE_REQUIRED': explain(
    "The admin's role does not permit this billing request.",
    'Ask a super_admin for the role that the message names.',
  ),
  'PLAN.LIMIT_REACHED': explain(
    "A limit of the tenant's plan is reached, so nothing more can be created.",
    'Delete what is unused, or choose a larger plan. The limits of a test tenant are fixed.',
  ),
  'METRICS.ACCESS_DENIED': explain(
    'Metrics are open to direct requests on a loopback `HOST` only.',
    'Set `METRICS_TOKEN` or `METRICS_PORT` on the service.',
  ),
  'ROUTE.NOT_FOUND': explain('There is no route at this path.', 'Compare the URL with the reference.'),
  'RESOURCE.NOT_FOUND': explain(
    'There is no such resource, or it belongs to another tenant.',
    'Check the id: list the resources to find it.',
  ),
  'TENANT.NOT_FOUND': explain('There is no such tenant.', 'Check the id of the tenant.'),
  'PRODUCT.NOT_FOUND': explain(
    'No product of the tenant has this code or id.',
    'Check the code; the list of products shows it.',
  ),
  'LICENSE.NOT_FOUND': explain('There is no such license.', 'Check the id or the key of the license.'),
  'FEATURE_FLAG.NOT_FOUND': explain('There is no feature flag with this key.', 'Check the key of the flag.'),
  'ACTIVATION.NOT_FOUND': explain('The device is not activated, or was released.', 'Activate the device again.'),
  'AUTH.SSO_OFF': explain(
    'Single sign-on is not configured for this kind of account.',
    'Log in with the email address and the password.',
  ),
  'ROUTE.METHOD_NOT_ALLOWED': explain(
    'The path does not support this method.',
    'Use a method that the header `Allow` lists.',
  ),
  'REQUEST.TIMEOUT': explain('The request took too long to arrive.', 'Send it again without pauses.'),
  'PRODUCT.CODE_TAKEN': explain('Another product has this code.', 'Choose another code.'),
  'PRODUCT.IN_USE': explain('The product has policies.', 'Delete its policies first, or archive the product.'),
  'POLICY.CODE_TAKEN': explain('Another policy of the product has this code.', 'Choose another code.'),
  'POLICY.ARCHIVED': explain(
    'The policy is archived, so no licenses are issued under it.',
    'Unarchive the policy, or choose another one.',
  ),
  'PRODUCT.ARCHIVED': explain(
    'The product is archived, so no licenses of it are issued.',
    'Unarchive the product, or choose a policy of another product.',
  ),
  'POLICY.IN_USE': explain('The policy has licenses.', 'Archive the policy instead.'),
  'ENTITLEMENT.CODE_TAKEN': explain('Another entitlement has this code.', 'Choose another code.'),
  'ENTITLEMENT.IN_USE': explain(
    'Policies or licenses grant the entitlement.',
    'Remove it from the policies and the licenses first.',
  ),
  'LICENSE.KEY_TAKEN': explain('Another license has this key.', 'Choose another key.'),
  'LICENSE.ORDER_NUMBER_TAKEN': explain('Another license has this order number.', 'Choose another order number.'),
  'LICENSE.TRANSITION_INVALID': explain(
    'The status of the license does not permit this action; a revoked license stays revoked.',
    'Read the license, and choose an action that its status permits.',
  ),
  'LICENSE.RENEWAL_IN_PAST': explain('The license would still be expired.', 'Renew it for longer, or set its end.'),
  'BULK_OPERATION.TRANSITION_INVALID': explain(
    'The operation is still running, has ended, or was undone before.',
    'Read the operation. Cancel one that runs, and undo one that has ended.',
  ),
  'TENANT.TRANSITION_INVALID': explain(
    'The status of the tenant does not permit this change; a closed tenant stays closed.',
    'Read the tenant, and choose a change that its status permits.',
  ),
  'API_KEY.REVOKED': explain('The API key was revoked.', 'Create another one.'),
  'ACCESS_TOKEN.TOO_MANY': explain(
    'The tenant has as many access tokens as it may have.',
    'Revoke unused access tokens first.',
  ),
  'MEMBER.ALREADY_ADDED': explain(
    'The person is a member of the tenant already, or is invited.',
    'Change the role of the member instead.',
  ),
  'MEMBER.CONSENT_REQUIRED': explain(
    'Nobody becomes an owner of a tenant without accepting.',
    'Invite the address with the role `owner`.',
  ),
  'MEMBER.LAST_OWNER': explain(
    'The change would leave the tenant without an owner.',
    'Make another member an owner first.',
  ),
  'WEBHOOK.DISABLED': explain('The webhook endpoint is disabled.', 'Enable the endpoint first.'),
  'FEATURE_FLAG.KEY_TAKEN': explain('Another feature flag has this key.', 'Choose another key.'),
  'FEATURE_FLAG.TOO_MANY': explain('The service has as many flags as it allows.', 'Delete unused flags first.'),
  'USER.DISABLED': explain('The user is disabled.', 'Enable the user first.'),
  'USER.BEING_ERASED': explain(
    'The personal data of the user is being erased, which cannot be undone.',
    'Ask the person to register again.',
  ),
  'MAIL.EXPIRED': explain(
    'The link in the mail has expired, so the mail is no longer sent.',
    'Ask the recipient to repeat the action that caused the mail.',
  ),
  'ACCOUNT.LAST_OWNER': explain(
    'The user is the last owner of a tenant.',
    'Make another member an owner, or close the tenant, first.',
  ),
  'ACCOUNT.CHANGED': explain('Another request changed the account meanwhile.', 'Send the request again.'),
  'ACCOUNT.NO_PASSWORD': explain(
    'The user logs in with single sign-on only, and has no password to confirm this with.',
    'Request a link to choose a password first.',
  ),
  'ACCOUNT.EMAIL_TAKEN': explain(
    'Another account has the address by now.',
    'Log in to that account, or ask the operator of the service.',
  ),
  'ACCOUNT.EXPORT_NOT_READY': explain('The export is not ready.', 'Read the export until its status is `ready`.'),
  'ONBOARDING.NO_PROVIDER': explain(
    'The service has no payment provider, so the plan cannot be bought.',
    'Ask the operator to set `PAYMENT_PROVIDER`, or choose a free plan.',
  ),
  'ONBOARDING.TOO_MANY_OPEN': explain('The user has five open checkouts.', 'Pay or cancel a checkout first.'),
  'ONBOARDING.TOO_MANY_FREE': explain(
    'The user owns as many tenants on free plans as the operator permits (`FREE_TENANTS_PER_USER`).',
    'Choose a plan with a price, or change the plan of one of these tenants first.',
  ),
  'ONBOARDING.TRANSITION_INVALID': explain(
    'The status of the checkout does not permit this action.',
    'Read the checkout, and start a new one if it is over.',
  ),
  'CATALOG_PRODUCT.CODE_TAKEN': explain('Another catalog product has this code.', 'Choose another code.'),
  'CATALOG_PRODUCT.IN_USE': explain('The catalog product has plans.', 'Delete its plans first.'),
  'PLAN.CODE_TAKEN': explain('Another plan has this code.', 'Choose another code.'),
  'PLAN.IN_USE': explain(
    'Tenants have or have had the plan, so it cannot be deleted.',
    'Archive the plan, so that it is no longer offered.',
  ),
  'PLAN.FREE_FIXED': explain('The plan `free` cannot have a price, be archived or be deleted.', 'Create another plan.'),
  'COUPON.CODE_TAKEN': explain('Another coupon has this code.', 'Choose another code.'),
  'COUPON.NOT_REDEEMABLE': explain(
    'The coupon is archived, expired, used up or of another currency.',
    'Follow the message, and choose another coupon.',
  ),
  'BILLING.MANAGED_BY_SUBSCRIPTION': explain(
    'A subscription determines the plan of the tenant.',
    'Change the plan of the subscription, or cancel it first.',
  ),
  'BILLING.TEST_TENANT': explain('A test tenant is free and cannot buy anything.', 'Use its live tenant.'),
  'TEST_TENANT.NOT_LIVE': explain('The tenant is a test tenant itself.', 'Send the request to its live tenant.'),
  'TEST_TENANT.NOT_TEST': explain('The tenant is not a test tenant.', 'Send the request to its test tenant.'),
  'BILLING.NO_PROVIDER': explain(
    'The service has no payment provider, so nothing can be bought.',
    'Ask the operator to set `PAYMENT_PROVIDER`.',
  ),
  'BILLING.NO_SUBSCRIPTION': explain('The tenant has no subscription.', 'Choose a plan first.'),
  'BILLING.REFUSED': explain(
    'The payment provider, or the state of the subscription, does not permit the change.',
    'Follow the message; often an open invoice must be paid first.',
  ),
  'SUBSCRIPTION.TRANSITION_INVALID': explain(
    'The state of the subscription does not permit the action.',
    'Read the subscription to see its state.',
  ),
  'INVOICE.NOT_FINAL': explain('The invoice is a draft and may change.', 'Wait until it is finalized.'),
  'INVOICE.NOT_DUE': explain('The invoice is not due yet.', 'Remind the customer after its due date.'),
  'INVOICE.ALREADY_REMINDED': explain(
    'The customer was reminded in the last 24 hours.',
    'Wait until the time that the message names.',
  ),
  'INVOICE.TRANSITION_INVALID': explain(
    'The state of the invoice does not allow this.',
    'Read the invoice: only drafts are deleted, only open invoices change or are mailed, only paid ones are refunded.',
  ),
  'ADMIN.EMAIL_TAKEN': explain('An admin has this email address already.', 'List the admins to find that admin.'),
  'ADMIN.LAST_SUPER_ADMIN': explain(
    'This is the last super_admin who can log in.',
    'Make another admin a super_admin first.',
  ),
  'ADMIN.OWN_ROLE': explain('Admins cannot change their own role.', 'Ask another super_admin.'),
  'AUTH.TWO_FACTOR_ENABLED': explain(
    'Two-factor authentication is on already.',
    'Turn it off before you set it up again.',
  ),
  'AUTH.TWO_FACTOR_NOT_SET_UP': explain('No authenticator app is set up.', 'Set one up first.'),
  'AUTH.SSO_IDENTITY_TAKEN': explain(
    'Another identity of the provider is linked to the account with this address.',
    'Log in with that identity, or unlink it first.',
  ),
  'IDEMPOTENCY.IN_PROGRESS': explain(
    'The first request with this `Idempotency-Key` still runs.',
    'Wait as long as `Retry-After` says, then repeat the request with the same key.',
  ),
  'REQUEST.TOO_LARGE': explain('The body is too large, or the file has too many rows.', 'Send less at once.'),
  'REQUEST.URI_TOO_LONG': explain('A segment of the path is too long.', 'Send at most 512 characters in each segment.'),
  'REQUEST.UNSUPPORTED_MEDIA_TYPE': explain(
    'The body has another type, character set or encoding than the route takes.',
    'Send uncompressed UTF-8 with a `Content-Type` of the route, mostly `application/json`.',
  ),
  'VALIDATION.FAILED': explain(
    'Fields of the request are missing, unknown or not valid; `details` names each.',
    'Correct the fields.',
  ),
  'AUTH.LINK_INVALID': explain('The link was used, was replaced, or has expired.', 'Request a new link.'),
  'AUTH.SSO_ATTEMPT_INVALID': explain(
    'The single sign-on was started in another browser, was used already, or has expired.',
    'Start the login again.',
  ),
  'LICENSE.REVOKED': explain('The license was revoked permanently.', 'Issue another license.'),
  'LICENSE.SUSPENDED': explain('The license is suspended.', 'Ask its vendor to reinstate it.'),
  'LICENSE.NOT_STARTED': explain('The license starts later: see `starts_at`.', 'Wait, or change its start.'),
  'LICENSE.EXPIRED': explain('The license has expired: see `expires_at`.', 'Renew the license.'),
  'LICENSE.PRODUCT_MISMATCH': explain(
    'The license is for another product.',
    'Use a license of this product, or correct the `product` of the request.',
  ),
  'LICENSE.MAINTENANCE_EXPIRED': explain(
    'The version was released after the maintenance of the license expired.',
    'Renew the license, or use an older version.',
  ),
  'ACTIVATION.FINGERPRINT_REQUIRED': explain(
    'The license must be activated per device, and the request names none.',
    'Send the `fingerprint` of the device.',
  ),
  'ACTIVATION.LEASE_EXPIRED': explain(
    'The lease of the device ended without a heartbeat.',
    'Activate the device again.',
  ),
  'ACTIVATION.LIMIT_EXCEEDED': explain(
    'More devices are activated than the license allows.',
    'Release devices, which is always possible while they are refused, or raise `max_activations`.',
  ),
  'ENTITLEMENT.NOT_GRANTED': explain(
    'The license does not grant every requested entitlement: see `entitlements`.',
    'Grant the entitlement in the policy or the license.',
  ),
  'ACTIVATION.LIMIT_REACHED': explain(
    'All devices of the license are in use.',
    'List the devices with `listLicenseActivations` and release one, or raise `max_activations`.',
  ),
  'ACTIVATION.DEACTIVATION_LIMIT_REACHED': explain(
    'The policy allows no more releases: see `max_deactivations`.',
    'Ask the vendor to release the device.',
  ),
  'IMPORT.REJECTED': explain(
    'Rows of the file are not valid, so nothing was imported; `details` names them.',
    'Correct the rows, or import with `partial=true`.',
  ),
  'OFFLINE_REQUEST.INVALID': explain(
    'The file is no request for an offline device, or it is incomplete.',
    'Create the file again in the application, and upload it unchanged.',
  ),
  'OFFLINE_REQUEST.OTHER_PRODUCT': explain(
    'The request for an offline device is of another product than the license.',
    'Choose the license of that product.',
  ),
  'IDEMPOTENCY.KEY_REUSED': explain(
    'A different request used this `Idempotency-Key` within 24 h.',
    'Choose a new key for each request; repeat only the same request with the same key.',
  ),
  'BILLING.REFERENCE_REUSED': explain('Another credit of the tenant has this reference.', 'Choose another reference.'),
  'RATE_LIMIT.EXCEEDED': explain(
    'Too many requests.',
    'Wait as long as `Retry-After` says, then send the request again.',
  ),
  'MAIL.LIMIT_REACHED': explain(
    'You have caused as many mails of this kind as are allowed in a day.',
    'Wait as long as `Retry-After` says. Links in the mails that were sent stay valid.',
  ),
  'AUTH.LOCKED_OUT': explain(
    'Too many failed attempts have locked the account for this address.',
    'Wait as long as `Retry-After` says.',
  ),
  'REQUEST.HEADERS_TOO_LARGE': explain('The URL and the headers are too large.', 'Send at most 16 KiB.'),
  'INTERNAL.ERROR': explain(
    'The service failed unexpectedly.',
    'Send the request again; if the error persists, send the request id to support.',
  ),
  'SERVICE.UNAVAILABLE': explain(
    'The service is temporarily unavailable.',
    'Wait as long as `Retry-After` says, then send the request again.',
  ),
  'TENANT.MOVING': explain(
    'The tenant moves to another database and accepts no changes meanwhile.',
    'Wait as long as `Retry-After` says, then send the request again.',
  ),
};

/** An error code with its HTTP status and its explanation. */
export interface ErrorCatalogEntry extends Explanation {
  readonly code: ErrorCode;
  /** The status of the response. The code of a verdict in a refused request has the status 422 instead. */
  readonly status: number;
}

/** Every error code of the API, in the order of the statuses: the source of the reference and of the guide to errors. */
export const errorCatalog: readonly ErrorCatalogEntry[] = (Object.keys(errorStatus) as ErrorCode[]).map((code) => ({
  code,
  status: errorStatus[code],
  ...explanations[code],
}));
