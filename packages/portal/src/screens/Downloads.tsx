import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { type Language, useLanguage } from '../language/Language.tsx';
import { Skeleton } from '../parts/Loading.tsx';
import { Notice, ProblemNotice } from '../parts/Notice.tsx';
import { usePortal } from '../portal-context.ts';
import type { PortalArtifact, PortalLicense, PortalVersion } from '../shapes.ts';
import { type System, systemOf } from '../system.ts';
import { useAction } from '../use-load.ts';

// Most visitors read no notes, and the parser is half as large as the rest of the page.
const Markdown = lazy(() =>
  import('../../../dashboard/src/components/MarkdownContent.tsx').catch(() => ({ default: PlainText })),
);

/** Without the network, the notes are shown as they were written. */
function PlainText({ children }: { readonly children: string }) {
  return <pre>{children}</pre>;
}

/** Where the mail with the key leads to. */
const anchor = 'downloads';

interface DownloadsProps {
  readonly license: PortalLicense;
  /** The newest first; not empty. */
  readonly versions: readonly PortalVersion[];
}

/** The files of the product: those for the system of the browser first, then older versions and other systems. */
export function Downloads({ license, versions }: DownloadsProps) {
  const language = useLanguage();
  const { t } = language;
  const { api } = usePortal();
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (window.location.hash === `#${anchor}`) section.current?.scrollIntoView();
  }, []);
  const [started, setStarted] = useState<string | null>(null);
  const download = useAction(async ({ id }: PortalVersion, file: PortalArtifact) => {
    setStarted(null);
    const { url } = await api.download(license.id, id, file.id);
    window.location.assign(url);
    setStarted(file.file_name);
  });
  const system = systemOf(navigator);
  const best = bestOf(versions, system);
  const newest = versions.find(isStable) ?? versions[0];
  const files = best === undefined ? [] : filesFor(best, system);
  const hasMore = versions.length > 1 || files.length < (best?.artifacts.length ?? 0);
  return (
    <section className="card" id={anchor} ref={section}>
      <h2>{t('downloads.heading')}</h2>
      {newest !== undefined && !newest.permitted && (
        <Refusal version={newest} license={license} isOnlyNewer={best !== undefined} />
      )}
      {best !== undefined && (
        <>
          <VersionTitle version={best} name={`${license.product.name} ${best.version}`} />
          <Files files={files} isPrimary onChoose={(file) => void download.run(best, file)} />
          <Notes text={best.notes} />
        </>
      )}
      {started !== null && <Notice kind="good">{t('downloads.started', { file: started })}</Notice>}
      <ProblemNotice problem={download.problem} />
      {hasMore && (
        <details className="part">
          <summary>{t('downloads.all')}</summary>
          <ul className="rows">
            {versions.map((version) => (
              <li key={version.id} className="stack version">
                <VersionTitle version={version} name={version.version} />
                {version.permitted ? (
                  <Files files={version.artifacts} onChoose={(file) => void download.run(version, file)} />
                ) : (
                  <p className="hint">{reasonOf(version, language)}</p>
                )}
                {version !== best && <Notes text={version.notes} />}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

const isFor = (system: System | null) => (file: PortalArtifact) =>
  system === null || file.platform === system || file.platform === 'any';

const isStable = ({ channel }: PortalVersion) => channel === 'stable';

/** The newest version that the license permits; rather a stable one, and rather one with a file for the system. */
function bestOf(versions: readonly PortalVersion[], system: System | null): PortalVersion | undefined {
  const permitted = versions.filter((version) => version.permitted);
  const ofSystem = permitted.filter(({ artifacts }) => artifacts.some(isFor(system)));
  return ofSystem.find(isStable) ?? ofSystem[0] ?? permitted.find(isStable) ?? permitted[0];
}

function filesFor({ artifacts }: PortalVersion, system: System | null): readonly PortalArtifact[] {
  const files = artifacts.filter(isFor(system));
  return files.length > 0 ? files : artifacts;
}

function VersionTitle({ version, name }: { readonly version: PortalVersion; readonly name: string }) {
  const { date } = useLanguage();
  return (
    <div className="title">
      <h3>
        {name} {!isStable(version) && <span className="badge plain">{version.channel}</span>}
      </h3>
      <span className="dim">{date(version.released_at)}</span>
    </div>
  );
}

interface FilesProps {
  readonly files: readonly PortalArtifact[];
  readonly isPrimary?: boolean;
  readonly onChoose: (file: PortalArtifact) => void;
}

function Files({ files, isPrimary = false, onChoose }: FilesProps) {
  const language = useLanguage();
  const { t, size } = language;
  return (
    <ul className="rows files">
      {files.map((file) => (
        <li key={file.id} className="row">
          <span className="what">
            <strong>{targetOf(file)}</strong>
            <span className="dim">
              <span>{file.file_name}</span> <span>{size(file.size)}</span>
            </span>
          </span>
          <button
            type="button"
            className={isPrimary ? 'primary' : 'small'}
            aria-label={t('downloads.getName', { file: file.file_name })}
            onClick={() => onChoose(file)}
          >
            {t('downloads.get')}
          </button>
        </li>
      ))}
    </ul>
  );
}

const systems = { windows: 'Windows', macos: 'macOS', linux: 'Linux' } as const;
const processors: Readonly<Record<string, string>> = { arm64: 'ARM64', x64: 'x64', x86: 'x86', arm: 'ARM' };
const macProcessors: Readonly<Record<string, string>> = { arm64: 'Apple silicon', x64: 'Intel' };

/** What a file is for: `macOS, Apple silicon`. These names are the same in every language. */
function targetOf({ platform, arch, file_name }: PortalArtifact): string {
  if (platform === 'any') return file_name;
  const processor = (platform === 'macos' ? macProcessors[arch] : undefined) ?? processors[arch];
  return processor === undefined ? systems[platform] : `${systems[platform]}, ${processor}`;
}

function Notes({ text }: { readonly text: string }) {
  const { t } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  if (text === '') return null;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('downloads.notes')}</summary>
      {isOpen && (
        <Suspense fallback={<Skeleton rows={2} />}>
          <div className="notes breaks">
            <Markdown>{text}</Markdown>
          </div>
        </Suspense>
      )}
    </details>
  );
}

interface RefusalProps {
  /** The newest version, which the license does not permit. */
  readonly version: PortalVersion;
  readonly license: PortalLicense;
  /** Whether the license permits an older one. */
  readonly isOnlyNewer: boolean;
}

/** Why the license does not permit a version, and how that changes. */
function Refusal({ version, license, isOnlyNewer }: RefusalProps) {
  const language = useLanguage();
  const { t } = language;
  const isRenewable = version.code === 'LICENSE.MAINTENANCE_EXPIRED' || version.code === 'LICENSE.EXPIRED';
  return (
    <div className="notice warn">
      <p>
        {isOnlyNewer && t('downloads.newer', { version: version.version })} {reasonOf(version, language)}{' '}
        {isRenewable && license.renewal_url !== null && !license.is_trial && (
          <a href={license.renewal_url} target="_blank" rel="noopener noreferrer">
            {t('license.renew')} <span className="hidden">{t('license.renewHint')}</span>
          </a>
        )}
      </p>
    </div>
  );
}

/** Why the license does not permit a version, as a sentence. */
function reasonOf({ code }: PortalVersion, { t }: Language): string {
  switch (code) {
    case 'LICENSE.MAINTENANCE_EXPIRED':
      return t('downloads.afterUpdates');
    case 'LICENSE.EXPIRED':
      return t('downloads.expired');
    case 'ENTITLEMENT.NOT_GRANTED':
      return t('downloads.notInPlan');
    default:
      return t('downloads.notUsable');
  }
}
