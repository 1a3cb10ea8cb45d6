/** The ratio that WCAG 2.2 (1.4.3, level AA) requires between text and its background. */
export const contrastMin = 4.5;

type Rgb = readonly [number, number, number];

function channelsOf(color: string): Rgb {
  const channel = (start: number) => Number.parseInt(color.slice(start, start + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

/** The relative luminance of WCAG 2.2: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance. */
function luminanceOf([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function contrast(color: Rgb): number {
  return 1.05 / (luminanceOf(color) + 0.05);
}

/** Returns the contrast of a color `#rrggbb` with white, from 1 to 21. */
export function contrastWithWhite(color: string): number {
  return contrast(channelsOf(color));
}

/** Returns the lightest shade of a color `#rrggbb` that has enough contrast with white. */
export function readableShade(color: string): string {
  const channels = channelsOf(color);
  for (let percent = 100; percent > 0; percent -= 1) {
    const shade = channels.map((channel) => Math.floor((channel * percent) / 100)) as unknown as Rgb;
    if (contrast(shade) >= contrastMin) {
      return `#${shade.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
    }
  }
  return '#000000';
}
