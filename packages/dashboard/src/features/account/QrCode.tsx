import encodeQR from 'qr';
import { useMemo } from 'react';

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
  readonly size?: number;
}

/** The modules of white space around a code that readers need (ISO/IEC 18004). */
const quietZone = 4;

/** A QR code as an image. It is dark on white in both colour schemes, because many readers refuse the inverse. */
export function QrCode({ text, label, size = 192 }: QrCodeProps) {
  const { path, width } = useMemo(() => {
    const modules = encodeQR(text, 'raw', { border: quietZone });
    const rows = modules.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join(''));
    return { path: rows.join(''), width: modules.length };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      width={size}
      height={size}
      viewBox={`0 0 ${width} ${width}`}
      shapeRendering="crispEdges"
      style={{ display: 'block', borderRadius: 8 }}
    >
      <rect width={width} height={width} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
