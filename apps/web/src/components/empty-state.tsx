import type { ComponentChildren } from 'preact';
import './states.css';

/** Shown instead of a list, chart or view that has nothing in it. `children` are the next steps. */
export function EmptyState({
  icon,
  title,
  text,
  children,
}: {
  icon?: ComponentChildren;
  title?: string;
  text: string;
  children?: ComponentChildren;
}) {
  return (
    <div key={`${title} ${text}`} className="state">
      {icon}
      {title && <h2>{title}</h2>}
      <p>{text}</p>
      {children && <div className="state-actions">{children}</div>}
    </div>
  );
}
