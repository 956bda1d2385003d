import { type ReactNode, useEffect } from 'react';
import { shared } from '../texts/shared.ts';

/** The heading of a view, with its actions on the right. Sets the title of the document. */
export function PageHeader({ title, children }: { title: string; children?: ReactNode }) {
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
