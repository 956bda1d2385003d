import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { IconButton } from './button.tsx';
import './menu.css';

interface MenuItem {
  text: string;
  icon: ComponentChildren;
  danger?: boolean;
  run: () => void;
}

/**
 * A button that shows a list of further actions. The browser closes it by Escape or a click elsewhere and returns the
 * focus. It opens below the button, or above if there is more room.
 */
export function Menu({ label, icon, items }: { label: string; icon: ComponentChildren; items: readonly MenuItem[] }) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  return (
    <>
      <IconButton label={label} popoverTarget={id} style={{ anchorName: `--${id}` }}>
        {icon}
      </IconButton>
      <div ref={list} id={id} popover="auto" className="menu" style={{ positionAnchor: `--${id}` }}>
        {items.map(({ text, icon: itemIcon, danger, run }) => (
          <button
            key={text}
            type="button"
            className={danger ? 'menu-danger' : undefined}
            onClick={() => {
              list.current!.hidePopover();
              run();
            }}
          >
            {itemIcon}
            {text}
          </button>
        ))}
      </div>
    </>
  );
}
