/** The width of the generated file. */
export const lineWidth = 120;

/** Returns a doc comment with a line break, or nothing without a text. */
export function comment(text: string, indent: string): string {
  if (text === '') return '';
  const oneLine = `${indent}/** ${text} */\n`;
  if (oneLine.length <= lineWidth) return oneLine;
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (indent.length + 2 + longer.length > lineWidth) lines.push(` ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return `${indent}/**\n${lines.map((line) => `${indent} *${line}\n`).join('')}${indent} */\n`;
}
