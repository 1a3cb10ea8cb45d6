// Draws line charts as SVG files that are readable on light and on dark pages.

const panel = { width: 420, height: 206, left: 52, top: 62, bottom: 26, right: 24 };
const lineHeight = 15;
const legendsPerLine = 3;
const legendWidth = 110;
const colours = 6;
const style = `
  text { font: 11px system-ui, sans-serif; fill: #424a53 }
  .title { font-size: 12px; font-weight: 600 }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .line { fill: none; stroke-width: 1.5; stroke-linejoin: round }
  .s0 { stroke: #0969da } .s1 { stroke: #bc4c00 } .s2 { stroke: #1a7f37 }
  .s3 { stroke: #8250df } .s4 { stroke: #9a6700 } .s5 { stroke: #bf3989 }
  @media (prefers-color-scheme: dark) {
    text { fill: #b7bdc8 }
    .grid { stroke: #3d444d }
    .s0 { stroke: #58a6ff } .s1 { stroke: #f0883e } .s2 { stroke: #3fb950 }
    .s3 { stroke: #bc8cff } .s4 { stroke: #d29922 } .s5 { stroke: #f778ba }
  }`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const places = (value) => Number(value.toFixed(1));

/** Returns round numbers from 0 to at least `most`. */
function ticksTo(most) {
  if (!(most > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one * 5 >= most) ?? power * 10;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => Number((index * step).toPrecision(6)));
}

function drawPanel({ title, series }, { offset, xMost, yTicks }) {
  const plotWidth = panel.width - panel.left - panel.right;
  const plotHeight = panel.height - panel.top - panel.bottom;
  const yMost = yTicks.at(-1);
  const toX = (x) => places(offset + panel.left + (x / xMost) * plotWidth);
  const toY = (y) => places(panel.top + plotHeight - (y / yMost) * plotHeight);
  const right = offset + panel.width - panel.right;
  const grid = yTicks.map(
    (tick) =>
      `<line class="grid" x1="${toX(0)}" x2="${right}" y1="${toY(tick)}" y2="${toY(tick)}"/>` +
      `<text x="${toX(0) - 6}" y="${toY(tick) + 4}" text-anchor="end">${tick}</text>`,
  );
  const xTicks = ticksTo(xMost).filter((tick) => tick <= xMost);
  const times = xTicks.map(
    (tick) => `<text x="${toX(tick)}" y="${panel.height - 8}" text-anchor="middle">${tick} min</text>`,
  );
  const lines = series.map(({ name, points }, index) => {
    const colour = `s${index % colours}`;
    const path = points.map(({ x, y }) => `${toX(x)},${toY(y)}`).join(' ');
    const legendX = offset + panel.left + (index % legendsPerLine) * legendWidth;
    const legendY = 2 * lineHeight + Math.floor(index / legendsPerLine) * lineHeight;
    const label =
      `<line class="line ${colour}" x1="${legendX}" x2="${legendX + 14}" y1="${legendY}" y2="${legendY}"/>` +
      `<text x="${legendX + 18}" y="${legendY + 4}">${escaped(name)}</text>`;
    return `${label}<polyline class="line ${colour}" points="${path}"/>`;
  });
  return [
    `<text class="title" x="${offset + panel.left}" y="${lineHeight}">${escaped(title)}</text>`,
    ...grid,
    ...times,
    ...lines,
  ];
}

/**
 * Returns an SVG with panels side by side, all on the same scales that begin at 0. A panel is `{ title, series }`, a
 * series is `{ name, points }`, and the x of a point is in minutes.
 */
export function drawPanels(panels) {
  const points = panels.flatMap(({ series }) => series.flatMap((one) => one.points));
  const xMost = Math.max(...points.map(({ x }) => x));
  const yTicks = ticksTo(Math.max(...points.map(({ y }) => y)));
  const width = panel.width * panels.length;
  const parts = panels.flatMap((one, index) => drawPanel(one, { offset: index * panel.width, xMost, yTicks }));
  const size = `viewBox="0 0 ${width} ${panel.height}" width="${width}" height="${panel.height}"`;
  const title = panels.map((one) => one.title).join(', ');
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">\n<title>${title}</title>\n<style>${style}\n</style>\n${parts.join('\n')}\n</svg>\n`;
}
