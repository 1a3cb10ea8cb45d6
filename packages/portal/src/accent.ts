/** A colour as its red, green and blue parts, 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number];

/** The accent of a tenant that has chosen none. */
const accentByDefault = '#3346b0';

/** The surfaces of portal.css with the least contrast: the darkest of the light scheme and the lightest of the dark one. */
export const surfaces = { light: '#f3f4f7', dark: '#1f232c' } as const;

/** WCAG AA: text needs 4.5 to 1. */
const textContrast = 4.5;

function parse(colour: string): Rgb {
  const channel = (start: number) => Number.parseInt(colour.slice(start, start + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

const write = (colour: Rgb) => `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** The relative luminance of WCAG, 0 to 1. */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Returns the contrast of two colours by WCAG, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(parse(one)), luminance(parse(other))].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Mixes a colour with black or white, no more than its contrast with a surface requires. */
function readableOn(accent: string, surface: string, end: '#000000' | '#ffffff'): string {
  const [from, to] = [parse(accent), parse(end)];
  const steps = 50;
  for (let step = 0; step <= steps; step += 1) {
    const mixed = write(from.map((part, index) => part + ((to[index] ?? 0) - part) * (step / steps)) as unknown as Rgb);
    if (contrast(mixed, surface) >= textContrast) return mixed;
  }
  return end;
}

/** The colours that follow from a tenant's accent. */
export interface Accent {
  /** The accent itself, for buttons. */
  readonly fill: string;
  /** The text on the accent: black or white, whichever has more contrast. It is at least 4.5 to 1. */
  readonly onFill: string;
  /** The accent as text and lines in the light scheme. */
  readonly light: string;
  /** The accent as text and lines in the dark scheme. */
  readonly dark: string;
}

/** Returns colours with enough contrast for a tenant's accent, such as `#ffe600`. */
export function accentOf(chosen: string | null): Accent {
  const fill = chosen !== null && /^#[\da-f]{6}$/i.test(chosen) ? chosen.toLowerCase() : accentByDefault;
  return {
    fill,
    onFill: contrast(fill, '#ffffff') >= textContrast ? '#ffffff' : '#000000',
    light: readableOn(fill, surfaces.light, '#000000'),
    dark: readableOn(fill, surfaces.dark, '#ffffff'),
  };
}

/** Gives the page a tenant's accent. */
export function showAccent(chosen: string | null): void {
  for (const [name, colour] of Object.entries(accentOf(chosen))) {
    document.documentElement.style.setProperty(`--accent-${name === 'onFill' ? 'on-fill' : name}`, colour);
  }
}
