import { Section } from '../../components/Section.tsx';
import classes from './PortalPreview.module.css';
import type { PortalValues } from './values.ts';

interface PortalPreviewProps {
  readonly values: PortalValues;
  readonly tenantName: string;
  readonly supportEmail: string | null;
}

const isColor = (text: string) => /^#[0-9a-f]{6}$/i.test(text);

/** Shows how the portal will look with the values of the form. It is a picture: nothing in it can be used. */
export function PortalPreview({ values, tenantName, supportEmail }: PortalPreviewProps) {
  const { display_name, logo, accent_color, support_url, permissions } = values;
  const name = display_name.trim() === '' ? tenantName : display_name;
  const accent = isColor(accent_color) ? accent_color : undefined;
  const help = support_url.trim() === '' ? supportEmail : 'Help';
  return (
    <Section title="Preview" description="What a customer sees after logging in, with sample data.">
      <div
        className={classes['page']}
        role="img"
        aria-label={`Preview of the portal of ${name}`}
        style={accent === undefined ? {} : ({ '--accent': accent } as React.CSSProperties)}
      >
        <div className={classes['header']}>
          {logo === null ? <strong>{name}</strong> : <img src={logo} alt="" className={classes['logo']} />}
          <span className={classes['muted']}>ada@example.com</span>
        </div>
        <div className={classes['card']}>
          <div className={classes['row']}>
            <strong>Photo Editor</strong>
            <span className={classes['status']}>Active</span>
          </div>
          <span className={classes['muted']}>Until 20 November 2027 · 2 of 3 devices</span>
          <span className={classes['key']}>•••••-•••••-•••••-TKVYT</span>
          <div className={classes['actions']}>
            <span className={classes['button']}>Show the key</span>
            {permissions.replace_key && <span className={classes['link']}>Replace the key</span>}
            {permissions.offline_activation && <span className={classes['link']}>Activate offline</span>}
          </div>
        </div>
        <div className={classes['card']}>
          <div className={classes['row']}>
            <span>Ada’s laptop</span>
            {permissions.release_devices && <span className={classes['link']}>Release</span>}
          </div>
          <span className={classes['muted']}>macOS · last seen today</span>
        </div>
        {help !== null && <span className={classes['link']}>{help}</span>}
      </div>
    </Section>
  );
}
