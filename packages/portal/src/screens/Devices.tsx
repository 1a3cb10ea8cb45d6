import { useCallback, useEffect, useRef, useState } from 'react';
import { type Language, useLanguage } from '../language/Language.tsx';
import { contactOf, devicesOf } from '../license-state.ts';
import { Confirm } from '../parts/Confirm.tsx';
import { Skeleton } from '../parts/Loading.tsx';
import { Notice, ProblemNotice } from '../parts/Notice.tsx';
import { Sentence } from '../parts/Sentence.tsx';
import { usePortal } from '../portal-context.ts';
import type { PortalDevice, PortalLicense } from '../shapes.ts';
import { useAction, useLoad } from '../use-load.ts';

interface DevicesProps {
  readonly license: PortalLicense;
  /** Loads the license again, because a release changes its numbers. */
  readonly onChanged: () => Promise<void>;
}

/** The devices that hold a seat, and how the holder frees one. */
export function Devices({ license, onChanged }: DevicesProps) {
  const language = useLanguage();
  const { t, count } = language;
  const { api, brand } = usePortal();
  const contact = contactOf(brand, language);
  const list = useLoad(useCallback(() => api.listDevices(license.id), [api, license.id]));
  const [asked, setAsked] = useState<PortalDevice | null>(null);
  const [released, setReleased] = useState<{ readonly name: string } | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that had the focus is gone with its device.
  useEffect(() => {
    if (released !== null) heading.current?.focus();
  }, [released]);
  const nameOf = (device: PortalDevice) => device.name ?? systemName(device.platform) ?? t('devices.unnamed');
  const release = useAction(async (device: PortalDevice) => {
    try {
      await api.releaseDevice(license.id, device.id);
      setReleased({ name: nameOf(device) });
      list.change(({ items, next }) => ({ items: items.filter(({ id }) => id !== device.id), next }));
    } finally {
      setAsked(null);
    }
    await onChanged();
  });
  const more = useAction(async () => {
    if (list.is !== 'ready' || list.value.next === null) return;
    const { items, next } = await api.listDevices(license.id, list.value.next);
    list.change((present) => ({ items: [...present.items, ...items], next }));
  });
  const { used, admitted } = license.seats;
  const excess = license.devices_to_release;
  const mayRelease = license.permissions.release_devices && (license.deactivations_left !== 0 || excess > 0);
  return (
    <section className="card">
      <div className="title">
        <h2 ref={heading} tabIndex={-1}>
          {t('devices.heading')}
        </h2>
        <SeatsText license={license} />
      </div>
      <SeatsBar license={license} />
      {released !== null && <Notice kind="good">{t('devices.released', { device: released.name })}</Notice>}
      <ProblemNotice
        problem={release.problem}
        meanings={{
          'ACTIVATION.DEACTIVATION_LIMIT_REACHED': `${t('devices.leftNone')} ${contact}`,
          'PORTAL.NOT_PERMITTED': `${t('devices.askVendor', { vendor: brand.display_name })} ${contact}`,
        }}
      />
      {list.is === 'failed' && (
        <>
          <ProblemNotice problem={list.problem} />
          <button type="button" onClick={list.retry}>
            {t('page.retry')}
          </button>
        </>
      )}
      {list.is === 'loading' && <Skeleton rows={2} />}
      {list.is === 'ready' && list.value.items.length === 0 && (
        <div className="empty">
          <h3>{t('devices.empty')}</h3>
          <p>{t('devices.emptyHelp')}</p>
        </div>
      )}
      {list.is === 'ready' && list.value.items.length > 0 && (
        <>
          {admitted !== null && used >= admitted && mayRelease && (
            <p className="hint">{excess > 0 ? count('devices.excess', excess) : t('devices.full')}</p>
          )}
          <ul className="rows devices">
            {list.value.items.map((device) => (
              <DeviceRow
                key={device.id}
                device={device}
                name={nameOf(device)}
                onRelease={mayRelease ? () => setAsked(device) : null}
              />
            ))}
          </ul>
          {list.value.next !== null && (
            <button type="button" className="middle" aria-busy={more.isRunning} onClick={() => void more.run()}>
              {t('page.more')}
            </button>
          )}
          <ProblemNotice problem={more.problem} />
        </>
      )}
      <ReleaseRules license={license} />
      {asked !== null && (
        <Confirm
          title={t('devices.releaseHeading')}
          action={t('devices.release')}
          isRunning={release.isRunning}
          onConfirm={() => void release.run(asked)}
          onClose={() => setAsked(null)}
        >
          <p className="breaks">{t('devices.releaseText', { device: nameOf(asked) })}</p>
        </Confirm>
      )}
    </section>
  );
}

/** The names of operating systems as their makers write them; applications report the short forms. */
const systems: Readonly<Record<string, string>> = {
  android: 'Android',
  darwin: 'macOS',
  ios: 'iOS',
  linux: 'Linux',
  macos: 'macOS',
  win32: 'Windows',
  windows: 'Windows',
};

function systemName(platform: string | null): string | null {
  return platform === null ? null : (systems[platform.toLowerCase()] ?? platform);
}

function SeatsText({ license }: { readonly license: PortalLicense }) {
  return <span className="dim">{usedText(license, useLanguage())}</span>;
}

function usedText(license: PortalLicense, language: Language): string {
  const { used, maximum, admitted } = license.seats;
  const { t, count, number } = language;
  const devices = devicesOf(license, language);
  if (maximum === null || devices === null) return count('devices.usedAny', used);
  // With tolerated devices, more may be in use than the license is for.
  return maximum === admitted && used <= maximum
    ? count('devices.usedOf', maximum, { used: number(used) })
    : t('devices.usedWith', { used: count('devices.usedAny', used), devices });
}

/** The text beside it says the same, so readers of the screen do not need it. */
function SeatsBar({
  license: {
    seats: { used, maximum, admitted },
  },
}: {
  readonly license: PortalLicense;
}) {
  const max = admitted ?? maximum;
  if (max === null || max === 0) return null;
  return (
    <div className="seats" aria-hidden="true">
      <span style={{ width: `${Math.min(100, (used / max) * 100)}%` }} />
    </div>
  );
}

interface DeviceRowProps {
  readonly device: PortalDevice;
  readonly name: string;
  readonly onRelease: (() => void) | null;
}

function DeviceRow({ device, name, onRelease }: DeviceRowProps) {
  const { t, distance, dateTime } = useLanguage();
  const { last_seen_at: seen, lease_expires_at: lease } = device;
  const platform = systemName(device.platform);
  return (
    <li className="row">
      <span className="what">
        <strong>{name}</strong>
        <span className="dim">
          {platform !== null && platform !== name && <span>{platform}</span>}
          <time dateTime={seen} title={dateTime(seen)}>
            {t('devices.seen', { when: distance(seen) })}
          </time>
          {lease !== null && (
            <time dateTime={lease} title={dateTime(lease)}>
              {t('devices.leaseEnds', { when: distance(lease) })}
            </time>
          )}
        </span>
      </span>
      {onRelease !== null && (
        <button
          type="button"
          className="small"
          aria-label={t('devices.releaseName', { device: name })}
          onClick={onRelease}
        >
          {t('devices.release')}
        </button>
      )}
    </li>
  );
}

function ReleaseRules({ license }: { readonly license: PortalLicense }) {
  const language = useLanguage();
  const { t, count, duration } = language;
  const { brand } = usePortal();
  const contact = contactOf(brand, language);
  const { deactivations_left: left, permissions } = license;
  if (license.seats.used === 0) return null;
  return (
    <div className="rules dim">
      {!permissions.release_devices && (
        <p>
          {t('devices.askVendor', { vendor: brand.display_name })} <Sentence>{contact}</Sentence>
        </p>
      )}
      {permissions.release_devices && left !== null && license.devices_to_release === 0 && (
        <p>
          <Sentence>{left === 0 ? `${t('devices.leftNone')} ${contact}` : count('devices.left', left)}</Sentence>
        </p>
      )}
      {license.terms.lease_seconds !== null && (
        <p>{t('devices.lease', { duration: duration(license.terms.lease_seconds) })}</p>
      )}
    </div>
  );
}
