import { useCallback } from 'react';
import { useLanguage } from '../language/Language.tsx';
import { CopyButton, CopyNotice, useCopy } from '../parts/Copy.tsx';
import { Heading } from '../parts/Heading.tsx';
import { ProblemNotice } from '../parts/Notice.tsx';
import { Sentence } from '../parts/Sentence.tsx';
import { usePortal } from '../portal-context.ts';
import { type Checkout, checkoutIn, followLink, pathOf } from '../router.ts';
import { saveFile } from '../save-file.ts';
import type { Purchase } from '../shapes.ts';
import { usePurchase } from '../use-purchase.ts';

/** The page to which a shop sends a buyer after the payment. It needs no login. */
export function PurchaseScreen() {
  const checkout = checkoutIn(window.location.search);
  return checkout === null ? <Incomplete /> : <PurchaseOf {...checkout} />;
}

function Incomplete() {
  const { t } = useLanguage();
  return (
    <section className="card narrow">
      <PurchaseHeading>{t('unknown.heading')}</PurchaseHeading>
      <p>{t('purchase.incomplete')}</p>
      <ToLicenses isPrimary />
    </section>
  );
}

function PurchaseHeading({ children }: { readonly children: string }) {
  const { t } = useLanguage();
  const { brand } = usePortal();
  return <Heading title={t('page.title', { screen: children, vendor: brand.display_name })}>{children}</Heading>;
}

interface ToLicensesProps {
  readonly isPrimary?: boolean;
  /** Whether the buyer can download the software there. */
  readonly hasDownloads?: boolean;
}

function ToLicenses({ isPrimary = false, hasDownloads = false }: ToLicensesProps) {
  const { t } = useLanguage();
  const { handle } = usePortal();
  return (
    <a
      className={isPrimary ? 'button primary' : 'button'}
      href={pathOf(handle, { screen: 'licenses' })}
      onClick={followLink}
    >
      {hasDownloads ? t('purchase.download') : t('unknown.back')}
    </a>
  );
}

function PurchaseOf({ connection, id }: Checkout) {
  const { api } = usePortal();
  const { purchase, problem, isSlow } = usePurchase(
    useCallback(() => api.loadPurchase({ connection, id }), [api, connection, id]),
  );
  if (purchase?.state === 'ready') return <Ready purchase={purchase} />;
  return (
    <section className="card narrow purchase">
      {purchase?.state === 'problem' ? <InHand /> : <Waiting isSlow={isSlow} />}
      <ProblemNotice problem={problem} />
    </section>
  );
}

function Waiting({ isSlow }: { readonly isSlow: boolean }) {
  const { t } = useLanguage();
  return (
    <div className="stack" role="status">
      {!isSlow && <span className="spinner" aria-hidden="true" />}
      <PurchaseHeading>{isSlow ? t('code.heading') : t('purchase.waiting')}</PurchaseHeading>
      <p>{isSlow ? t('purchase.slowText') : t('purchase.waitingText')}</p>
      {isSlow && <ToLicenses isPrimary />}
    </div>
  );
}

function InHand() {
  const { t } = useLanguage();
  const { brand } = usePortal();
  return (
    <div className="stack" role="status">
      <PurchaseHeading>{t('purchase.problem')}</PurchaseHeading>
      <p>{t('purchase.problemText', { vendor: brand.display_name })}</p>
    </div>
  );
}

function Ready({ purchase }: { readonly purchase: Purchase }) {
  const { t, count } = useLanguage();
  const { licenses, licenses_count: total, email_hint: email } = purchase;
  const keys = licenses.flatMap(({ key }) => key ?? []);
  return (
    <section className="card narrow purchase">
      <span className="done" aria-hidden="true" />
      <PurchaseHeading>{count('purchase.ready', total)}</PurchaseHeading>
      {keys.length > 0 ? <p>{t('purchase.enter')}</p> : <p>{t('purchase.masked')}</p>}
      <ul className="rows bought">
        {licenses.map((license, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the licenses have no id here, and never move.
          <BoughtLicense key={index} license={license} number={index + 1} isOnly={total === 1} />
        ))}
      </ul>
      {total > licenses.length && <p>{count('purchase.more', total - licenses.length)}</p>}
      {keys.length > 0 && <AllKeys keys={keys} />}
      {email !== null && (
        <p>
          <Sentence>{t('purchase.mail', { email })}</Sentence>
        </p>
      )}
      <p className="dim">{t('purchase.manage')}</p>
      <ToLicenses isPrimary={keys.length === 0 || purchase.has_downloads} hasDownloads={purchase.has_downloads} />
    </section>
  );
}

interface BoughtLicenseProps {
  readonly license: Purchase['licenses'][number];
  readonly number: number;
  readonly isOnly: boolean;
}

function BoughtLicense({ license, number, isOnly }: BoughtLicenseProps) {
  const { t, number: format } = useLanguage();
  const { key, key_hint, product_name: product, policy_name } = license;
  const copying = useCopy(async () => key ?? '');
  return (
    <li>
      <span className="what">
        <strong>{product}</strong>
        <span className="dim">{policy_name}</span>
      </span>
      <div className="key">
        <code>
          <span className="hidden">{t('purchase.keyOf', { product })} </span>
          {key ?? key_hint}
        </code>
        {key !== null && (
          <CopyButton
            copying={copying}
            label={t('key.copy')}
            name={t('purchase.copyOf', { product, number: format(number) })}
            isPrimary={isOnly}
          />
        )}
      </div>
      <CopyNotice copying={copying} />
    </li>
  );
}

function AllKeys({ keys }: { readonly keys: readonly string[] }) {
  const { t } = useLanguage();
  const text = `${keys.join('\n')}\n`;
  const copying = useCopy(async () => text);
  return (
    <div className="actions start">
      {keys.length > 1 && <CopyButton copying={copying} label={t('purchase.copyAll')} name={t('purchase.copyAll')} />}
      <button type="button" className="small" onClick={() => saveFile(text, `${t('purchase.file')}.txt`)}>
        {t('purchase.save')}
      </button>
      <CopyNotice copying={copying} />
    </div>
  );
}
