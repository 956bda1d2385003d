import type { IconNode } from 'lucide';
import { h } from 'preact';

interface IconProps {
  /** An icon of `lucide`. */
  of: IconNode;
  size: number;
  className?: string;
}

/** Draws an icon in the colour of the text. Screen readers skip it: what it means is in words beside it. */
export function Icon({ of, size, className }: IconProps) {
  return (
    <svg
      className={className}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden
    >
      {of.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
