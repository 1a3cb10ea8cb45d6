import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { prefetchMe } from './api/me.ts';
import { type Area, readSession } from './api/session.ts';
import { adminSearch } from './features/admins/search.ts';
import { auditSearch } from './features/audit/search.ts';
import { billingSearch } from './features/billing/search.ts';
import { billingAdminSearch, dunningSearch } from './features/billing-admin/search.ts';
import { catalogSearch } from './features/catalog/search.ts';
import { flagPageSearch, flagSearch } from './features/feature-flags/search.ts';
// In the file that every page loads, because people open the login without a cache.
import { AdminLogin, UserLogin } from './features/identity/LoginScreen.tsx';
import { loginSearch } from './features/identity/search.ts';
import { adminInvoiceSearch } from './features/invoices/admin-search.ts';
import { jobSearch } from './features/jobs/search.ts';
import { licensesSearch } from './features/licenses/search.ts';
import { mailSearch } from './features/mails/search.ts';
import { homeSearch } from './features/metrics/search.ts';
import { welcomeSearch } from './features/onboarding/search.ts';
import { newPolicySearch } from './features/policies/search.ts';
import { rateLimitPageSearch, rateLimitSearch } from './features/rate-limits/search.ts';
import { subscriptionSearch } from './features/subscriptions/search.ts';
import { tenantPageSearch, tenantSearch } from './features/tenants/search.ts';
import { userSearch } from './features/users/search.ts';
import { searchOf, text } from './lib/search.ts';
import { screensOf } from './screen-route.ts';
import { requireSession, skipLogin } from './shell/require-session.ts';
import { tenantScreens } from './tenant-screens.ts';

interface RouterContext {
  readonly queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({ component: Outlet });

/** What happens before any screen of an area: somebody is logged in, and the service is asked who. */
function beforeArea(area: Area) {
  return ({ context, location }: { readonly context: RouterContext; readonly location: { readonly href: string } }) => {
    requireSession(area, location.href);
    prefetchMe(context.queryClient, area);
  };
}

/** Opens the page after the login at once if somebody is logged in. */
function beforeLogin(area: Area) {
  return ({ location }: { readonly location: { readonly search: object } }) =>
    skipLogin(area, loginSearch({ ...location.search }).next);
}

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: readSession('tenant') === null ? '/login' : '/overview', replace: true });
  },
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: loginSearch,
  beforeLoad: beforeLogin('tenant'),
  component: UserLogin,
});

const adminLogin = createRoute({
  getParentRoute: () => root,
  path: '/admin/login',
  validateSearch: loginSearch,
  beforeLoad: beforeLogin('admin'),
  component: AdminLogin,
});

const userArea = createRoute({
  getParentRoute: () => root,
  id: 'user',
  beforeLoad: beforeArea('tenant'),
  component: lazyRouteComponent(() => import('./shell/SignedIn.tsx'), 'SignedInUser'),
});

const personArea = createRoute({
  getParentRoute: () => userArea,
  id: 'person',
  component: lazyRouteComponent(() => import('./shell/TenantArea.tsx'), 'PersonArea'),
});

const tenantArea = createRoute({
  getParentRoute: () => userArea,
  id: 'tenant',
  // Does not wait: the frame appears as soon as its user is known.
  loader: ({ context }) =>
    void import('./shell/TenantArea.tsx').then(({ prefetchSettings }) => prefetchSettings(context.queryClient)),
  component: lazyRouteComponent(() => import('./shell/TenantArea.tsx'), 'TenantArea'),
});

const licenses = createRoute({
  getParentRoute: () => tenantArea,
  path: '/licenses',
  validateSearch: licensesSearch,
  loaderDeps: ({ search }) => search,
  // Does not wait: the screen shows its own skeleton.
  loader: ({ context, deps }) =>
    void import('./features/licenses/LicensesScreen.tsx').then(({ prefetchLicenses }) =>
      prefetchLicenses(context.queryClient, deps),
    ),
  component: lazyRouteComponent(() => import('./features/licenses/LicensesScreen.tsx')),
});

const adminArea = createRoute({
  getParentRoute: () => root,
  path: '/admin',
  beforeLoad: beforeArea('admin'),
  component: lazyRouteComponent(() => import('./shell/SignedIn.tsx'), 'SignedInAdmin'),
});

const platformArea = createRoute({
  getParentRoute: () => adminArea,
  id: 'platform',
  component: lazyRouteComponent(() => import('./shell/PlatformArea.tsx'), 'PlatformArea'),
});

const adminTenantArea = createRoute({
  getParentRoute: () => adminArea,
  path: '/tenants/$tenantId',
  component: lazyRouteComponent(() => import('./shell/AdminTenantArea.tsx'), 'AdminTenantArea'),
});

const publicScreen = screensOf(() => root);
const personScreen = screensOf(() => personArea);
const userScreen = screensOf(() => tenantArea);
const platformScreen = screensOf(() => platformArea);
const adminScreen = screensOf(() => adminTenantArea);

/** The URL tree of the application. */
export const routeTree = root.addChildren([
  start,
  login,
  adminLogin,
  publicScreen('/accept-invitation', undefined, () => import('./features/identity/AcceptInvitationScreen.tsx')),
  publicScreen('/change-email', undefined, async () => ({
    default: (await import('./features/identity/EmailLinkScreens.tsx')).ChangeEmailScreen,
  })),
  publicScreen('/forgot-password', undefined, () => import('./features/identity/ForgotPasswordScreen.tsx')),
  publicScreen('/register', undefined, () => import('./features/identity/RegisterScreen.tsx')),
  publicScreen('/reset-password', undefined, () => import('./features/identity/ResetPasswordScreen.tsx')),
  publicScreen('/revert-email', undefined, async () => ({
    default: (await import('./features/identity/EmailLinkScreens.tsx')).RevertEmailScreen,
  })),
  publicScreen('/single-sign-on', undefined, () => import('./features/identity/SingleSignOnScreen.tsx')),
  publicScreen('/two-factor', loginSearch, () => import('./features/identity/TwoFactorScreen.tsx')),
  publicScreen('/undo-two-factor', undefined, async () => ({
    default: (await import('./features/identity/EmailLinkScreens.tsx')).UndoTwoFactorScreen,
  })),
  publicScreen('/verify-email', undefined, () => import('./features/identity/VerifyEmailScreen.tsx')),
  userArea.addChildren([
    personArea.addChildren([
      personScreen('/account', searchOf({ cursor: text }), () => import('./features/account/AccountScreen.tsx')),
      personScreen('/welcome', welcomeSearch, () => import('./features/onboarding/WelcomeScreen.tsx')),
    ]),
    tenantArea.addChildren([
      licenses,
      ...tenantScreens(() => tenantArea),
      userScreen('/billing', billingSearch, () => import('./features/billing/BillingScreen.tsx')),
      userScreen('/billing/invoices/$invoiceId', undefined, async () => ({
        default: (await import('./features/invoices/InvoiceScreens.tsx')).InvoiceScreen,
      })),
      userScreen('/policies/new', newPolicySearch, () => import('./features/policies/NewPolicyScreen.tsx')),
    ]),
  ]),
  adminArea.addChildren([
    adminTenantArea.addChildren([
      ...tenantScreens(() => adminTenantArea),
      adminScreen('/', tenantPageSearch, () => import('./features/tenants/TenantScreen.tsx')),
      adminScreen('/licenses', licensesSearch, () => import('./features/licenses/LicensesScreen.tsx')),
    ]),
    platformArea.addChildren([
      platformScreen('/account', searchOf({ cursor: text }), () => import('./features/account/AdminAccountScreen.tsx')),
      platformScreen('/admins', adminSearch, () => import('./features/admins/AdminsScreen.tsx')),
      platformScreen('/audit', auditSearch, async () => ({
        default: (await import('./features/audit/AuditScreens.tsx')).PlatformAuditScreen,
      })),
      platformScreen('/billing', billingAdminSearch, () => import('./features/billing-admin/BillingAdminScreen.tsx')),
      platformScreen('/catalog/coupons/$couponId', undefined, () => import('./features/coupons/CouponScreen.tsx')),
      platformScreen('/catalog', catalogSearch, () => import('./features/catalog/CatalogScreen.tsx')),
      platformScreen('/catalog/plans/$planId', undefined, () => import('./features/plans/PlanScreen.tsx')),
      platformScreen('/catalog/products/$productId', undefined, () => import('./features/catalog/ProductScreen.tsx')),
      platformScreen('/dunning', dunningSearch, () => import('./features/billing-admin/DunningScreen.tsx')),
      platformScreen('/feature-flags/$flagId', flagPageSearch, async () => ({
        default: (await import('./features/feature-flags/FlagScreen.tsx')).FlagScreen,
      })),
      platformScreen('/feature-flags', flagSearch, () => import('./features/feature-flags/FlagsScreen.tsx')),
      platformScreen('/feature-flags/new', flagPageSearch, async () => ({
        default: (await import('./features/feature-flags/FlagScreen.tsx')).NewFlagScreen,
      })),
      platformScreen('/', homeSearch, () => import('./features/metrics/AdminHomeScreen.tsx')),
      platformScreen('/invoices/$invoiceId', undefined, async () => ({
        default: (await import('./features/invoices/InvoiceScreens.tsx')).AdminInvoiceScreen,
      })),
      platformScreen('/invoices', adminInvoiceSearch, () => import('./features/invoices/AdminInvoicesScreen.tsx')),
      platformScreen('/jobs', jobSearch, () => import('./features/jobs/JobsScreen.tsx')),
      platformScreen('/mails', mailSearch, () => import('./features/mails/MailsScreen.tsx')),
      platformScreen(
        '/rate-limits/$tenantId',
        rateLimitPageSearch,
        () => import('./features/rate-limits/RateLimitScreen.tsx'),
      ),
      platformScreen('/rate-limits', rateLimitSearch, () => import('./features/rate-limits/RateLimitsScreen.tsx')),
      platformScreen(
        '/subscriptions/$subscriptionId',
        undefined,
        () => import('./features/subscriptions/SubscriptionScreen.tsx'),
      ),
      platformScreen(
        '/subscriptions',
        subscriptionSearch,
        () => import('./features/subscriptions/SubscriptionsScreen.tsx'),
      ),
      platformScreen('/tenants', tenantSearch, () => import('./features/tenants/TenantsScreen.tsx')),
      platformScreen('/users/$userId', undefined, () => import('./features/users/UserScreen.tsx')),
      platformScreen('/users', userSearch, () => import('./features/users/UsersScreen.tsx')),
    ]),
  ]),
]);
