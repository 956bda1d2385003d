import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { shared } from '../texts/shared.ts';

/** The heading of a view, with its actions on the right. Sets the title of the document. */
export function PageHeader({ title, children }: { title: string; children?: ComponentChildren }) {
  useEffect(() => {
    document.title = shared.title(title);
  }, [title]);
  return (
    <header className="page-header">
      <h1>{title}</h1>
      {children && <div className="page-actions">{children}</div>}
    </header>
  );
}
