/** The shades of one color in one theme. Each can be read on what it stands on: the contrast is at least 4.5:1. */
export interface Accent {
  /** For lines and areas, and for text on any background of the theme. */
  accent: string;
  /** The same while the mouse is over it. */
  hover: string;
  /** For text on `accent` and `hover`. */
  on: string;
  /** A pale background. */
  soft: string;
  /** For text on `soft`. */
  text: string;
}

/** The contrast that WCAG 2.2 asks for text (https://www.w3.org/TR/WCAG22/#contrast-minimum). */
export const TEXT_CONTRAST = 4.5;
const STEP = 0.05;
/** The background of each theme on which a color is hardest to read, of the pages and the dashboard. */
const LIGHT = { ground: '#eeeef3', surface: '#ffffff', on: '#ffffff', toward: '#000000', softness: 0.9 };
const DARK = { ground: '#222836', surface: '#161a23', on: '#0d1017', toward: '#ffffff', softness: 0.8 };

/** Returns the shades of a color: itself where it can be read, else a darker one in light and a lighter one in dark. */
export function accentsOf(color: string): { light: Accent; dark: Accent } {
  return { light: accentOf(color, LIGHT), dark: accentOf(color, DARK) };
}

function accentOf(color: string, { ground, surface, on, toward, softness }: typeof LIGHT): Accent {
  const accent = readable(color, ground, toward);
  const soft = mix(accent, surface, softness);
  return { accent, hover: mix(accent, toward, 0.15), on, soft, text: readable(accent, soft, toward) };
}

/** Mixes a color with black or white until it can be read. */
function readable(color: string, ground: string, toward: string): string {
  for (let share = 0; share < 1; share += STEP) {
    const mixed = mix(color, toward, share);
    if (contrast(mixed, ground) >= TEXT_CONTRAST) return mixed;
  }
  return toward;
}

/** Returns true for `#rrggbb`. */
export function isHexColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** Returns the contrast of two colors, 1 to 21 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio). */
export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Returns the relative luminance of a color, 0 to 1 (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance). */
export function luminance(color: string): number {
  const [red, green, blue] = channelsOf(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(color: string, other: string, share: number): string {
  const others = channelsOf(other);
  const mixed = channelsOf(color).map((channel, n) => Math.round(channel * (1 - share) + others[n]! * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}
