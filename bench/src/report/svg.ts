/** Colours that are readable on white and on black. */
export const GREEN = '#2da44e';
export const RED = '#cf222e';
export const GREY = '#808890';

export interface TextOptions {
  anchor?: 'start' | 'middle' | 'end';
  size?: number;
}

/** Returns a complete SVG document with a centred title. */
export function svgDocument(width: number, height: number, title: string, content: readonly string[]): string {
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="${GREY}" role="img">`,
    `<title>${escapeText(title)}</title>`,
    text(width / 2, 22, title, { anchor: 'middle', size: 15 }),
    ...content,
    '</svg>',
  ].join('\n')}\n`;
}

export function text(x: number, y: number, content: string, { anchor, size }: TextOptions = {}): string {
  const more = `${anchor === undefined ? '' : ` text-anchor="${anchor}"`}${size === undefined ? '' : ` font-size="${size}"`}`;
  return `<text x="${round(x)}" y="${round(y)}"${more}>${escapeText(content)}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, width: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${GREY}" stroke-width="${width}"/>`;
}

export function bar(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}"/>`;
}

function round(value: number): string {
  return value.toFixed(1);
}

function escapeText(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
